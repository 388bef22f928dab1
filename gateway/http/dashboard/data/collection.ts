import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Heard, SharedEvents } from './shared-events.ts';

/** A list of the gateway that stays as it is there. */
export interface Collection<Row> {
  /** Empty until it is loaded. */
  readonly rows: ReadonlySignal<ReadonlyMap<string, Row>>;
  readonly state: ReadonlySignal<'loading' | 'ready' | Error>;
  readonly reload: () => void;
  readonly close: () => void;
}

export interface CollectionParts<Row> {
  readonly events: SharedEvents;
  /** Every row, as the API tells it. */
  readonly load: (signal: AbortSignal) => AsyncIterable<Row>;
  readonly keyOf: (row: Row) => string;
  /** Puts what an event tells into the rows, or takes it out; answers whether it has done so. */
  readonly take: (event: Heard, rows: Map<string, Row>) => boolean;
}

/** Changes are shown together, so that a burst is one drawing. */
const togetherMs = 60;

/** Loads once the stream of events is open, so that no change falls between the two. */
export function createCollection<Row>({ events, load, keyOf, take }: CollectionParts<Row>): Collection<Row> {
  const rows = signal<ReadonlyMap<string, Row>>(new Map());
  const state = signal<'loading' | 'ready' | Error>('loading');
  let current = new Map<string, Row>();
  let [loading, timer] = [new AbortController(), undefined as ReturnType<typeof setTimeout> | undefined];
  /** What was heard while the list was asked for: it may be newer than the answer. */
  let heard: Heard[] | undefined;
  const show = () => {
    timer = undefined;
    rows.value = new Map(current);
  };
  const reload = async () => {
    loading.abort();
    const own = new AbortController();
    [loading, heard] = [own, []];
    try {
      const fresh = new Map<string, Row>();
      for await (const row of load(own.signal)) fresh.set(keyOf(row), row);
      if (own.signal.aborted) return;
      for (const event of heard ?? []) take(event, fresh);
      [current, heard] = [fresh, undefined];
      batch(() => {
        show();
        state.value = 'ready';
      });
    } catch (error) {
      if (!own.signal.aborted) state.value = error as Error;
    }
  };
  const stop = events.listen((event) => {
    if (event.type === 'reset') return void reload();
    heard?.push(event);
    if (take(event, current)) timer ??= setTimeout(show, togetherMs);
  });
  const follow = events.connection.subscribe((connection) => {
    const hasFailed = state.peek() instanceof Error;
    if (connection === 'connected' && (hasFailed || state.peek() === 'loading')) void reload();
    if (connection === 'lost' && state.peek() === 'loading')
      state.value = new Error('The gateway does not answer.');
  });
  return {
    rows,
    state,
    reload: () => void reload(),
    close: () => {
      loading.abort();
      clearTimeout(timer);
      stop();
      follow();
    },
  };
}
