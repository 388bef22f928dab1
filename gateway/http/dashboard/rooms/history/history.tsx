import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ExecutionView } from '../../../../../src/http-api/history.ts';
import { renderArgv } from '../../../../../src/text/render-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { OutcomeTag } from '../../parts/outcome.tsx';
import { RoomPage } from '../../parts/room-page.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { Rendered } from '../../parts/texts.tsx';
import { Ago } from '../../parts/times.tsx';
import type { Room } from '../room.ts';
import { Filters } from './filters.tsx';
import { OneExecution } from './one-execution.tsx';
import { addressOf, queryOf, readWanted, type Wanted, whyNot } from './wanted.ts';
import './history.css';

export const history: Room = {
  name: 'History',
  path: '/history',
  views: [
    { path: '/history', show: History },
    { path: '/executions/:id', show: OneExecution },
  ],
};

/** As much as is drawn at once, however much there is. */
const pageRows = 100;
const mostNewer = 10_000;

interface Page {
  readonly rows: readonly ExecutionView[];
  readonly next: string;
}

function History() {
  const wanted = readWanted(useDashboard().router.now.value.query);
  return (
    <RoomPage title="History" note="What ran and what was refused, the newest first">
      <Filters wanted={wanted} />
      <Pages key={addressOf(wanted)} />
    </RoomPage>
  );
}

/** The pages of one search. */
function Pages() {
  const { router } = useDashboard();
  const wanted = readWanted(router.now.value.query);
  const { page, cursors, newer, go } = usePages(wanted);
  if (page instanceof Error) return <Trouble what="The history" error={page} again={() => go([''])} />;
  if (page === undefined) return <Loading rows={8} />;
  const isFirst = cursors.length === 1;
  return (
    <>
      <p class="history-newer" role="status">
        {isFirst && newer > 0 && (
          <button type="button" class="button short" onClick={() => go([''])}>
            Show {newer} newer
          </button>
        )}
      </p>
      {page.rows.length === 0 && isFirst && <Nothing isAll={addressOf(wanted) === '/history'} />}
      {page.rows.length > 0 && <Rows rows={page.rows} />}
      <nav class="history-pages" aria-label="Pages">
        {!isFirst && (
          <button type="button" class="button" onClick={() => go(cursors.slice(0, -1))}>
            Newer
          </button>
        )}
        {page.next !== '' && (
          <button type="button" class="button" onClick={() => go([...cursors, page.next])}>
            Older
          </button>
        )}
      </nav>
    </>
  );
}

function usePages(wanted: Wanted) {
  const { client, events } = useDashboard();
  const page = useSignal<Page | Error | undefined>(undefined);
  /** Where the pages up to the one that is shown begin. */
  const cursors = useSignal<readonly string[]>(['']);
  const newer = useSignal(0);
  const load = async (signal?: AbortSignal) => {
    const cursor = cursors.peek().at(-1) ?? '';
    const more = { limit: String(pageRows), ...(cursor !== '' && { cursor }) };
    try {
      const query = { ...queryOf(wanted, Date.now()), ...more };
      const found = await client().call('executions', { query }, signal ? { signal } : {});
      newer.value = 0;
      page.value = { rows: found.executions, next: found.nextCursor };
    } catch (error) {
      if (signal?.aborted !== true) page.value = error as Error;
    }
  };
  useEffect(() => {
    const gone = new AbortController();
    if (whyNot(wanted) === undefined) void load(gone.signal);
    const seen = new Set<string>();
    const stop = events.listen((event) => {
      if (event.type === 'reset') return void load(gone.signal);
      const now = page.peek();
      if (event.type !== 'execution' || now === undefined || now instanceof Error) return;
      const { execution } = event;
      if (now.rows.some(({ id }) => id === execution.id)) page.value = updated(now, execution);
      else if (execution.id > (now.rows[0]?.id ?? '') && seen.size < mostNewer)
        newer.value = seen.add(execution.id).size;
    });
    return () => {
      gone.abort();
      stop();
    };
  }, []);
  const go = (to: readonly string[]) => {
    cursors.value = to;
    void load().then(() => scrollTo(0, 0));
  };
  return { page: page.value, cursors: cursors.value, newer: newer.value, go };
}

function updated({ rows, next }: Page, execution: ExecutionView): Page {
  return { rows: rows.map((row) => (row.id === execution.id ? execution : row)), next };
}

function Nothing({ isAll }: { readonly isAll: boolean }) {
  if (!isAll)
    return (
      <Empty title="Nothing is like that">
        <p>
          No execution that is kept fits all of these. Take one away, or look further back; the{' '}
          <a href="/audit">audit</a> keeps every decision.
        </p>
      </Empty>
    );
  return (
    <Empty title="Nothing ran yet">
      <p>Each command that an agent asks for is here, with what was decided and what became of it.</p>
    </Empty>
  );
}

function Rows({ rows }: { readonly rows: readonly ExecutionView[] }) {
  return (
    <ol class="card history-rows" aria-label="Executions">
      {rows.map((row) => (
        <li key={row.id} class="history-row">
          <span class="history-when soft">
            <Ago at={row.receivedAt} />
          </span>
          <a class="history-line agent-text" href={`/executions/${row.id}`}>
            <Rendered text={lineOf(row.argv)} />
          </a>
          <span class="history-who">{row.agent || <span class="soft">{row.caller}</span>}</span>
          <span class="history-tags">
            {row.decision === 'ask' && row.state === 'ended' && <span class="tag">asked</span>}
            {row.connectionCount > 0 && (
              <span class="tag" title="Connections by name, also those that were refused">
                {row.connectionCount} reached
              </span>
            )}
            <OutcomeTag execution={row} />
          </span>
          <ShortId id={row.id} length={13} />
        </li>
      ))}
    </ol>
  );
}

const lineAtMost = 300;

function lineOf(argv: readonly string[]): string {
  const line = renderArgv(argv);
  return line.length > lineAtMost ? `${line.slice(0, lineAtMost)} …` : line;
}
