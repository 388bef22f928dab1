import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { countedLog } from '../../src/counted-log.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Faults } from '../../src/faults.ts';
import type { ExecutionResult, FirstOutput } from '../ports/detached.ts';
import type { DetachedRows } from '../store/detached-rows.ts';
import { isUnwritten } from '../store/unwritten.ts';

export interface EndsParts {
  readonly rows: Pick<DetachedRows, 'end'>;
  readonly faults: Pick<Faults, 'report'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Results on their way to the disk. What cannot be written is kept, and tried again. */
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
  /** Without its output if there was no room for that. */
  result: ExecutionResult;
  /** What it takes with its output, about. */
  readonly bytes: number;
  /** How often it failed while others could be written. */
  failures: number;
  /** By `performance.now()`. */
  notBefore: number;
}

const againMs = 1000;
const longestMs = 5 * 60_000;
const defaultMostBytes = 64 * 1024 * 1024;
/** An estimate of what a result takes besides its output. */
const besides = 500;

export function createEnds({ rows, faults, log }: EndsParts, mostBytes = defaultMostBytes): Ends {
  const waiting = new Map<string, End>();
  const closing = new AbortController();
  const warn = countedLog((fields, text) => log.warn(fields, text), 1 / 60, 1);
  let problem = '';
  let writing: Promise<void> | undefined;

  /** False: no other can be written either. */
  async function tryOne(key: string, end: End): Promise<boolean> {
    try {
      await rows.end(end.caller, end.id, end.result);
      waiting.delete(key);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      if (isUnwritten(error)) {
        bound(waiting, mostBytes);
        warn({ error: problem }, 'results cannot be written: they are kept, and tried again every second');
        return false;
      }
      if (end.failures === 0) faults.report('a result', error);
      end.failures += 1;
      end.notBefore = performance.now() + Math.min(againMs * 2 ** end.failures, longestMs);
    }
    return true;
  }

  async function tryAll(isLast: boolean): Promise<void> {
    for (const [key, end] of waiting)
      if ((isLast || end.notBefore <= performance.now()) && !(await tryOne(key, end))) return;
  }

  async function writeAll(): Promise<void> {
    for (;;) {
      const isLast = closing.signal.aborted;
      await tryAll(isLast);
      if (waiting.size === 0 || isLast) break;
      await sleep(againMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
    if (waiting.size === 0) problem = '';
    writing = undefined;
  }

  return {
    keep: (caller, id, result) => {
      const end = { caller, id, result, bytes: sizeOf(result), failures: 0, notBefore: 0 };
      waiting.set(keyOf(caller, id), end);
      if (problem !== '') bound(waiting, mostBytes);
      writing ??= writeAll();
    },
    find: (caller, id) => waiting.get(keyOf(caller, id))?.result,
    checkRoom: () => {
      if (problem === '' || sizeOfAll(waiting) < mostBytes) return;
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

/** While nothing can be written: of what ends behind the bound only the outcome is kept. */
function bound(waiting: ReadonlyMap<string, End>, mostBytes: number): void {
  let bytes = 0;
  for (const end of waiting.values()) {
    bytes += end.bytes;
    if (bytes > mostBytes) end.result = withoutOutput(end.result);
  }
}

function sizeOfAll(waiting: ReadonlyMap<string, End>): number {
  return [...waiting.values()].reduce((sum, { bytes }) => sum + bytes, 0);
}

function sizeOf({ stdout, stderr }: ExecutionResult): number {
  return [stdout, stderr].reduce(
    (sum, { bytes, tail }) => sum + bytes.length + (tail?.bytes.length ?? 0),
    besides,
  );
}

function withoutOutput({ stdout, stderr, ...rest }: ExecutionResult): ExecutionResult {
  const cut = (output: FirstOutput) =>
    output.bytes.length === 0 ? output : { bytes: Buffer.alloc(0), truncated: true };
  return { ...rest, stdout: cut(stdout), stderr: cut(stderr) };
}
