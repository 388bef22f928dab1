import { useEffect, useMemo } from 'preact/hooks';
import { useDashboard } from '../../data/dashboard.ts';
import { Mark } from '../../parts/mark.tsx';
import { RoomPage } from '../../parts/room-page.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { createDesk } from './desk.ts';
import { useKeys } from './keys.tsx';
import { QuestionCard } from './question-card.tsx';

/** One question on one small screen: where a link in a message leads. */
export function OneQuestion({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const dashboard = useDashboard();
  const { waiting } = dashboard;
  const id = params['id'] ?? '';
  const desk = useMemo(() => createDesk(dashboard, id), [id]);
  useEffect(() => desk.close, [desk]);
  useKeys(desk);
  const state = waiting.state.value;
  const question = desk.rows.value.find((row) => row.id === id);
  const others = waiting.rows.value.size - (waiting.rows.value.has(id) ? 1 : 0);
  return (
    <div class="one-question">
      <RoomPage
        title="A question"
        note={
          <a href="/waiting" class="one-question-back">
            <Mark /> {others > 0 ? `${others} more ${others === 1 ? 'waits' : 'wait'}` : 'All that waits'}
          </a>
        }
      >
        {state instanceof Error && <Trouble what="The question" error={state} again={waiting.reload} />}
        {state === 'loading' && <Loading />}
        {state === 'ready' && question === undefined && <Gone />}
        {question !== undefined && <QuestionCard desk={desk} question={question} />}
      </RoomPage>
    </div>
  );
}

function Gone() {
  return (
    <Empty title="This question waits no more">
      <p>
        Somebody has answered it, its time is over, or its caller is gone. Perhaps it is none of your scope.
      </p>
      <p>
        <a href="/history">What became of commands</a>
      </p>
    </Empty>
  );
}
