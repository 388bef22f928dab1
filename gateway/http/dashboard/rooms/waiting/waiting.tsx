import { useEffect, useMemo } from 'preact/hooks';
import { useDashboard } from '../../data/dashboard.ts';
import { RoomPage } from '../../parts/room-page.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import type { Room } from '../room.ts';
import { AlertsButton } from './alerts-button.tsx';
import { createDesk, type Desk } from './desk.ts';
import { KeysHelp, useKeys } from './keys.tsx';
import { OneQuestion } from './one-question.tsx';
import { QuestionCard } from './question-card.tsx';
import { QuestionList } from './question-list.tsx';
import { useIsNarrow } from './use-is-narrow.ts';
import './waiting.css';

export const waiting: Room = {
  name: 'Waiting',
  path: '/waiting',
  views: [
    { path: '/waiting', show: Waiting },
    { path: '/a/:id', show: OneQuestion, alone: true },
  ],
};

function Waiting() {
  const dashboard = useDashboard();
  const desk = useMemo(() => createDesk(dashboard), []);
  useEffect(() => desk.close, []);
  const count = dashboard.waiting.rows.value.size;
  const note =
    dashboard.waiting.state.value === 'ready' &&
    count > 0 &&
    `${count} ${count === 1 ? 'command waits' : 'commands wait'} for an answer, the oldest first`;
  return (
    <RoomPage
      title="Waiting"
      note={note || ' '}
      actions={
        <>
          <AlertsButton />
          <KeysHelp />
        </>
      }
    >
      <Questions desk={desk} />
    </RoomPage>
  );
}

function Questions({ desk }: { readonly desk: Desk }) {
  const { waiting: questions } = useDashboard();
  const isNarrow = useIsNarrow();
  useKeys(desk);
  const state = questions.state.value;
  const rows = desk.rows.value;
  const current = desk.current.value;
  if (state instanceof Error)
    return <Trouble what="The list of questions" error={state} again={questions.reload} />;
  if (state === 'loading') return <Loading />;
  if (rows.length === 0)
    return (
      <Empty title="Nothing waits for you">
        <p>When a rule of the policy says ask, the command waits here until somebody answers.</p>
        <p>
          <a href="/policy">What the policy asks about</a>
        </p>
      </Empty>
    );
  const shown = rows.find(({ id }) => id === current);
  return (
    <div class="waiting">
      <QuestionList desk={desk} isNarrow={isNarrow} />
      {!isNarrow && shown !== undefined && <QuestionCard key={shown.id} desk={desk} question={shown} />}
    </div>
  );
}
