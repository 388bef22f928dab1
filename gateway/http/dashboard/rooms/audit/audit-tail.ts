import { type ReadonlySignal, signal } from '@preact/signals';
import type { Client } from '../../../../../src/http-api/client.ts';
import type { SharedEvents } from '../../data/shared-events.ts';

/** A record, or the text of a line that is not as the gateway writes it. */
export interface AuditRow {
  readonly key: string;
  readonly seq: number;
  readonly record: Readonly<Record<string, unknown>> | string;
}

export interface AuditTail {
  /** The newest first. */
  readonly rows: ReadonlySignal<readonly AuditRow[]>;
  readonly state: ReadonlySignal<'loading' | 'ready' | Error>;
  /** The last record that was signed; undefined if there is none among the last thousands. */
  readonly head: ReadonlySignal<AuditRow | undefined>;
  readonly reload: () => void;
  readonly close: () => void;
}

/** Records that are kept on the page. */
export const keptRows = 500;
const [first, quietMs, soonMs] = ['200', 5000, 400];

/** The newest records, and what is written from then on: whatever is told happened is in the audit before. */
export function createAuditTail(client: () => Client, events: SharedEvents): AuditTail {
  const rows = signal<readonly AuditRow[]>([]);
  const state = signal<'loading' | 'ready' | Error>('loading');
  const head = signal<AuditRow | undefined>(undefined);
  const over = new AbortController();
  let [isBusy, again] = [false, false];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = async () => {
    if (isBusy) {
      again = true;
      return;
    }
    isBusy = true;
    clearTimeout(timer);
    try {
      const last = rows.peek()[0]?.seq ?? 0;
      const query = last === 0 ? { limit: first } : { limit: '1000', from: String(last) };
      const { audit } = await client().call('audit', { query }, { signal: over.signal });
      // A page that nobody looked at is far behind: it goes on from the newest ones, as if it were new.
      if (last > 0 && audit.length > Number(first)) await show(await newest(), 0);
      else await show(audit, last);
      state.value = 'ready';
    } catch (error) {
      if (!over.signal.aborted) state.value = error as Error;
    }
    isBusy = false;
    if (over.signal.aborted) return;
    timer = setTimeout(() => void read(), again ? soonMs : quietMs);
    again = false;
  };
  const newest = async () =>
    (await client().call('audit', { query: { limit: first } }, { signal: over.signal })).audit;
  const show = async (audit: Parameters<typeof toRows>[0], last: number) => {
    // From the last one on: a line that is no record has no number to begin behind.
    const before = last === 0 ? [] : rows.peek();
    const known = new Set(before.map(({ key }) => key));
    const fresh = toRows(audit, last).filter(({ key }) => !known.has(key));
    if (fresh.length > 0) rows.value = [...fresh.toReversed(), ...before].slice(0, keptRows);
    const own = fresh.findLast(isHead);
    if (own !== undefined) head.value = own;
    else if (last === 0) head.value = await headBefore(client(), fresh[0]?.seq ?? 0, over.signal);
  };
  const soon = () => {
    if (isBusy) again = true;
    else {
      clearTimeout(timer);
      timer = setTimeout(() => void read(), soonMs);
    }
  };
  const stop = events.listen(soon);
  void read();
  return {
    ...{ rows, state, head },
    reload: () => void read(),
    close: () => {
      over.abort();
      clearTimeout(timer);
      stop();
    },
  };
}

function isHead({ record }: AuditRow): boolean {
  return typeof record !== 'string' && record['type'] === 'head';
}

/** A gateway signs at least each thousandth record; pages, as a record may be long. */
const [headEvery, pagesAtMost] = [1001, 6];

async function headBefore(client: Client, seq: number, over: AbortSignal): Promise<AuditRow | undefined> {
  let [from, found] = [Math.max(1, seq - headEvery), undefined as AuditRow | undefined];
  for (let page = 0; page < pagesAtMost && from < seq; page += 1) {
    const query = { limit: '1000', from: String(from) };
    const { audit } = await client.call('audit', { query }, { signal: over });
    const rows = toRows(audit, from - 1).filter((row) => row.seq < seq);
    found = rows.findLast(isHead) ?? found;
    const last = rows.at(-1)?.seq ?? seq;
    if (last < from) break;
    from = last + 1;
  }
  return found;
}

/** A line that is no record has no number of its own: it stands behind the one before it. */
function toRows(audit: readonly (Readonly<Record<string, unknown>> | string)[], last: number): AuditRow[] {
  let seq = last;
  return audit.map((record) => {
    if (typeof record !== 'string') seq = Number(record['seq']);
    return { key: typeof record === 'string' ? `${seq} ${record}` : String(seq), seq, record };
  });
}
