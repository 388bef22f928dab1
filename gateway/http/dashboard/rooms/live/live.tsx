import { useEffect, useRef } from 'preact/hooks';
import type { ExecutionView } from '../../../../../src/http-api/history.ts';
import { renderArgv } from '../../../../../src/text/render-text.ts';
import type { Collection } from '../../data/collection.ts';
import { hasRole, useDashboard } from '../../data/dashboard.ts';
import { useCollection } from '../../data/use-collection.ts';
import { CancelExecution } from '../../parts/cancel-execution.tsx';
import { LiveOutput } from '../../parts/live-output.tsx';
import { OutcomeTag } from '../../parts/outcome.tsx';
import { RoomPage } from '../../parts/room-page.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { Rendered } from '../../parts/texts.tsx';
import { Ago } from '../../parts/times.tsx';
import { WindowList } from '../../parts/window-list.tsx';
import type { Room } from '../room.ts';
import './live.css';

export const live: Room = {
  name: 'Live',
  path: '/live',
  views: [{ path: '/live', show: Live }],
};

const shown = ['running', 'queued'] as const;
const rowHeight = 68;

function Live() {
  const { client, router } = useDashboard();
  const list = useCollection<ExecutionView>('live', {
    load: async function* load(signal) {
      for (const state of shown) yield* client().list('executions', { state, limit: '1000' }, { signal });
    },
    keyOf: ({ id }) => id,
    take: (event, rows) => {
      if (event.type !== 'execution') return false;
      const { id, state } = event.execution;
      const isOpen = state === 'running' || state === 'queued';
      return isOpen ? rows.set(id, event.execution) === rows : rows.delete(id);
    },
  });
  const rows = [...list.rows.value.values()].toSorted(byState);
  const running = rows.filter(({ state }) => state === 'running').length;
  const chosen = router.now.value.query.get('id') ?? rows[0]?.id;
  const isUnsaid = router.now.value.query.get('id') === null;
  // What is looked at stays when it ends.
  useEffect(() => {
    if (isUnsaid && chosen !== undefined) router.go(`/live?id=${chosen}`, 'replace');
  }, [isUnsaid, chosen]);
  const note =
    list.state.value === 'ready'
      ? `${running} running${rows.length > running ? `, ${rows.length - running} in the queue` : ''}`
      : ' ';
  return (
    <RoomPage title="Live" note={note}>
      <Body list={list} rows={rows} chosen={chosen} />
    </RoomPage>
  );
}

interface BodyProps {
  readonly list: Collection<ExecutionView>;
  readonly rows: readonly ExecutionView[];
  readonly chosen: string | undefined;
}

function Body({ list, rows, chosen }: BodyProps) {
  const { router } = useDashboard();
  const state = list.state.value;
  if (state instanceof Error) return <Trouble what="What runs" error={state} again={list.reload} />;
  if (state === 'loading') return <Loading />;
  if (rows.length === 0 && router.now.value.query.get('id') === null)
    return (
      <Empty title="Nothing runs">
        <p>
          A command is here from the moment it may run until it ends, with what it writes as it comes. What
          ran before is in the <a href="/history">history</a>.
        </p>
      </Empty>
    );
  return (
    <div class="live">
      {rows.length > 0 && (
        <div class="card live-list">
          <WindowList
            label="Running commands"
            rows={rows}
            keyOf={({ id }) => id}
            rowHeight={rowHeight}
            current={chosen}
          >
            {(row) => <Row execution={row} isChosen={row.id === chosen} />}
          </WindowList>
        </div>
      )}
      {chosen !== undefined && <Chosen key={chosen} id={chosen} execution={list.rows.value.get(chosen)} />}
    </div>
  );
}

/** Running before queued, the newest first. */
function byState(one: ExecutionView, other: ExecutionView): number {
  if (one.state !== other.state) return one.state === 'running' ? -1 : 1;
  return one.id < other.id ? 1 : -1;
}

function Row({ execution, isChosen }: { readonly execution: ExecutionView; readonly isChosen: boolean }) {
  const { id, agent, argv, state, startedAt, receivedAt, host } = execution;
  return (
    <a class="live-row" href={`/live?id=${id}`} aria-current={isChosen ? 'true' : undefined}>
      <span class="live-line agent-text">
        <Rendered text={renderArgv(argv)} />
      </span>
      <span class="live-facts soft">
        <span>{agent || 'no agent'}</span>
        {host !== '' && <span>{host}</span>}
        {state === 'running' ? <Ago at={startedAt ?? receivedAt} /> : <span class="tag warn">queued</span>}
      </span>
    </a>
  );
}

interface ChosenProps {
  readonly id: string;
  /** Undefined if it does not run, or does not run any more. */
  readonly execution: ExecutionView | undefined;
}

function Chosen({ id, execution }: ChosenProps) {
  const { session } = useDashboard();
  const last = useRef(execution);
  useEffect(() => {
    last.current = execution ?? last.current;
  }, [execution]);
  const known = execution ?? last.current;
  return (
    <section class="card live-chosen" aria-label="Output">
      <header class="live-head">
        {known !== undefined && (
          <h2 class="live-command agent-text" tabIndex={0}>
            <Rendered text={renderArgv(known.argv)} />
          </h2>
        )}
        {execution === undefined ? <Over id={id} /> : <About execution={execution} />}
      </header>
      {hasRole(session, 'operator') ? (
        <LiveOutput id={id} title="Output of the chosen command" />
      ) : (
        <p class="soft live-none">Operators see here what it writes: output may hold secrets.</p>
      )}
    </section>
  );
}

function Over({ id }: { readonly id: string }) {
  return (
    <p>
      This command does not run any more. <a href={`/executions/${id}`}>What became of it</a>
    </p>
  );
}

function About({ execution }: { readonly execution: ExecutionView }) {
  const { id, agent, host, startedAt, receivedAt } = execution;
  return (
    <>
      <p class="live-facts">
        <OutcomeTag execution={execution} />
        {agent !== '' && <a href={`/agents/${encodeURIComponent(agent)}`}>{agent}</a>}
        {host !== '' && <span>on {host}</span>}
        <Ago at={startedAt ?? receivedAt} />
        <ShortId id={id} />
        <a href={`/executions/${id}`}>All of it</a>
      </p>
      <CancelExecution execution={execution} />
    </>
  );
}
