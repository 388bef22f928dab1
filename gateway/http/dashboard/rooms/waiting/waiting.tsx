import { renderArgv } from '../../../../../src/text/render-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { RoomPage } from '../../parts/room-page.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { Rendered } from '../../parts/texts.tsx';
import { Left } from '../../parts/times.tsx';
import type { Room } from '../room.ts';

export const waiting: Room = {
  name: 'Waiting',
  path: '/waiting',
  views: [{ path: '/waiting', show: Waiting }],
};

function Waiting() {
  return (
    <RoomPage title="Waiting">
      <Questions />
    </RoomPage>
  );
}

function Questions() {
  const { waiting: questions } = useDashboard();
  const state = questions.state.value;
  if (state instanceof Error)
    return <Trouble what="The list of questions" error={state} again={questions.reload} />;
  if (state === 'loading') return <Loading />;
  const rows = [...questions.rows.value.values()];
  if (rows.length === 0)
    return (
      <Empty title="Nothing waits for you">
        <p>When a rule of the policy says ask, the command waits here until somebody answers.</p>
      </Empty>
    );
  return (
    <ul>
      {rows.map(({ id, agent, argv, expiresAt }) => (
        <li key={id}>
          <ShortId id={id} /> {agent} <Rendered text={renderArgv(argv)} /> <Left until={expiresAt} />
        </li>
      ))}
    </ul>
  );
}
