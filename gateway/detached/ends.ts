import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ClawrdenError } from '../../src/errors.ts';
import type { Faults } from '../../src/faults.ts';
import type { ExecutionResult } from '../ports/detached.ts';
import type { DetachedRows } from '../store/detached-rows.ts';
import { isUnwritten } from '../store/unwritten.ts';

export interface EndsParts {
  readonly rows: Pick<DetachedRows, 'end'>;
  readonly faults: Pick<Faults, 'report'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Results on their way to the disk. What cannot be written is kept, and tried again every second. */
export interface Ends {
  readonly keep: (caller: string, id: string, result: ExecutionResult) => void;
  /** Until it is on the disk. */
  readonly find: (caller: string, id: string) => ExecutionResult | undefined;
  /** Throws `audit-unwritable` if too much waits. */
  readonly checkRoom: () => void;
  /** Tries all once more. What cannot be written then is lost: the history and the audit have the outcome. */
  readonly close: () => Promise<void>;
}

interface End {
  readonly caller: string;
  readonly id: string;
  readonly result: ExecutionResult;
}

const againMs = 1000;
const defaultMostBytes = 64 * 1024 * 1024;
/** An estimate of what a result takes besides its output. */
const besides = 500;

export function createEnds({ rows, faults, log }: EndsParts, mostBytes = defaultMostBytes): Ends {
  const waiting = new Map<string, End>();
  const closing = new AbortController();
  let problem = '';
  let writing: Promise<void> | undefined;

  function note(error: unknown): void {
    const isFirst = problem === '';
    problem = error instanceof Error ? error.message : String(error);
    if (!isFirst) return;
    if (isUnwritten(error))
      log.warn({ error: problem }, 'results cannot be written: they are kept, and tried again every second');
    else faults.report('a result', error);
  }

  /** If the database itself fails, it is not tried again for each result. */
  async function tryAll(): Promise<void> {
    for (const [key, { caller, id, result }] of waiting) {
      try {
        await rows.end(caller, id, result);
        waiting.delete(key);
      } catch (error) {
        note(error);
        if (isUnwritten(error)) return;
      }
    }
  }

  async function writeAll(): Promise<void> {
    for (;;) {
      const isLast = closing.signal.aborted;
      await tryAll();
      if (waiting.size === 0 || isLast) break;
      await sleep(againMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
    if (waiting.size === 0) problem = '';
    writing = undefined;
  }

  return {
    keep: (caller, id, result) => {
      waiting.set(keyOf(caller, id), { caller, id, result });
      writing ??= writeAll();
    },
    find: (caller, id) => waiting.get(keyOf(caller, id))?.result,
    checkRoom: () => {
      if (problem === '' || [...waiting.values()].reduce(plusSize, 0) < mostBytes) return;
      throw new ClawrdenError('audit-unwritable', `results cannot be written: ${problem}`);
    },
    close: async () => {
      closing.abort();
      await writing;
    },
  };
}

export function keyOf(caller: string, id: string): string {
  return `${id} ${caller}`;
}

function plusSize(sum: number, { result }: End): number {
  return [result.stdout, result.stderr].reduce(
    (size, { bytes, tail }) => size + bytes.length + (tail?.bytes.length ?? 0),
    sum + besides,
  );
}
