import { digestOf } from '../../src/recordable-command.ts';
import { type TokenBucket, tokenBucket } from '../../src/token-bucket.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DecisionRecord, RefusalsRecord } from '../audit/audit-record.ts';

/** Bounds what refused requests add to the audit and to the history, for each agent separately. */
export interface Refusals {
  /** Whether this one gets its own record. Otherwise it is counted, and reported within a second. */
  readonly admit: (refused: DecisionRecord) => boolean;
  /** Writes the counts that are not in the audit yet. */
  readonly close: () => Promise<void>;
}

/** For one agent: so many a second, and twice as many at once. */
export const recordedRefusals = { records: 20, bytes: 64 * 1024 } as const;
const foldMs = 1000;

interface Flood {
  readonly records: TokenBucket;
  readonly bytes: TokenBucket;
  folded: Folded | undefined;
}

interface Folded {
  readonly first: number;
  readonly codes: Record<string, number>;
  count: number;
  last: DecisionRecord;
  lastAt: number;
}

/** At most one entry for each caller and agent of gateway.yaml: an invented name is in no record. */
export function createRefusals(audit: AuditLog, now: () => number = () => performance.now()): Refusals {
  const floods = new Map<string, Flood>();
  let timer: NodeJS.Timeout | undefined;

  function floodOf({ caller, agent }: DecisionRecord): Flood {
    const key = `${caller} ${agent}`;
    const { records, bytes } = recordedRefusals;
    const known = floods.get(key);
    const flood = known ?? {
      ...{ records: tokenBucket(records, now), bytes: tokenBucket(bytes, now) },
      folded: undefined,
    };
    if (known === undefined) floods.set(key, flood);
    return flood;
  }

  async function tell(): Promise<void> {
    timer = undefined;
    const told = [...floods.values()].flatMap((flood) => {
      const { folded } = flood;
      flood.folded = undefined;
      return folded ?? [];
    });
    // If it cannot be written, the audit's health says so.
    await Promise.all(told.map((folded) => audit.append(recordOf(folded)).catch(() => {})));
  }

  return {
    admit: (refused) => {
      const flood = floodOf(refused);
      const bytes = Buffer.byteLength(JSON.stringify(refused));
      if (flood.folded === undefined && flood.records.take(1) && flood.bytes.take(bytes)) return true;
      flood.folded = fold(flood.folded, refused);
      timer ??= setTimeout(() => void tell(), foldMs).unref();
      return false;
    },
    close: () => {
      clearTimeout(timer);
      return tell();
    },
  };
}

function fold(folded: Folded | undefined, refused: DecisionRecord): Folded {
  const at = Date.now();
  const { first = at, codes = {}, count = 0 }: Partial<Folded> = folded ?? {};
  const { code } = refused;
  return {
    first,
    codes: { ...codes, [code]: (codes[code] ?? 0) + 1 },
    count: count + 1,
    last: refused,
    lastAt: at,
  };
}

function recordOf({ first, codes, count, last, lastAt }: Folded): RefusalsRecord {
  return {
    type: 'refusals',
    caller: last.caller,
    agent: last.agent,
    count,
    codes,
    first: new Date(first).toISOString(),
    last: new Date(lastAt).toISOString(),
    lastExecution: last.execution,
    lastSha256: digestOf(last),
  };
}
