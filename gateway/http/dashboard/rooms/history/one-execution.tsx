import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../../../../../src/http-api/client.ts';
import type { AnswerOf, Routes } from '../../../../../src/http-api/routes.ts';
import { renderArgv } from '../../../../../src/text/render-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { CancelExecution } from '../../parts/cancel-execution.tsx';
import { OutcomeTag } from '../../parts/outcome.tsx';
import { RoomPage } from '../../parts/room-page.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { Rendered } from '../../parts/texts.tsx';
import { ExecutionConnections } from './execution-connections.tsx';
import { ExecutionFacts } from './execution-facts.tsx';
import { ExecutionOutput } from './execution-output.tsx';

type Execution = AnswerOf<Routes['execution']>;

/** One execution in full; the address takes the beginning of its id. */
export function OneExecution({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { client, events } = useDashboard();
  const id = params['id'] ?? '';
  const found = useSignal<Execution | Error | undefined>(undefined);
  const load = async () => {
    try {
      found.value = await client().call('execution', { params: { id } });
    } catch (error) {
      found.value = error as Error;
    }
  };
  useEffect(() => {
    found.value = undefined;
    void load();
    return events.listen((event) => {
      const now = found.peek();
      if (event.type === 'reset') void load();
      if (event.type === 'execution' && !(now instanceof Error) && event.execution.id === now?.id)
        void load();
    });
  }, [id]);
  const now = found.value;
  if (now instanceof ApiError && (now.problem.status === 404 || now.problem.status === 400))
    return (
      <RoomPage title="Execution">
        <Empty title="There is no such execution">
          <p>
            The history keeps executions for a time (<code>limits.history-days</code>), and you see those of
            the agents of your scope. <a href="/history">The history</a>
          </p>
        </Empty>
      </RoomPage>
    );
  return (
    <RoomPage
      key={id}
      title="Execution"
      note={now === undefined || now instanceof Error ? ' ' : <OutcomeTag execution={now} />}
      actions={
        now !== undefined && !(now instanceof Error) && now.state !== 'ended' ? (
          <CancelExecution execution={now} />
        ) : undefined
      }
    >
      {now instanceof Error && <Trouble what="This execution" error={now} again={() => void load()} />}
      {now === undefined && <Loading />}
      {now !== undefined && !(now instanceof Error) && (
        <div class="execution">
          <h2 class="card execution-line agent-text">
            <Rendered text={renderArgv(now.argv)} />
          </h2>
          <ExecutionOutput execution={now} />
          <ExecutionConnections execution={now} />
          <ExecutionFacts execution={now} />
        </div>
      )}
    </RoomPage>
  );
}
