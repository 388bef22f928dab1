import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { ClawrdenError } from '../../src/errors.ts';
import type { Database, ExecutionRow } from './database.ts';
import { createUpsert } from './upsert-rows.ts';

const settleMs = 10;
/** What one turn of the event loop writes: the index of a search has a part for each three characters of a line. */
const atOnce = { rows: 100, lines: 32 * 1024 };
const againMs = 1000;
/** Limit of the waiting rows. Above it new rows are refused, so that no id is forgotten. */
const defaultMostBytes = 64 * 1024 * 1024;

/** Rows that are on the disk soon after. If a write fails, the row is kept and tried again until it is written. */
export class WrittenBehind {
  readonly #upsert: (rows: readonly ExecutionRow[]) => Promise<void>;
  readonly #mostBytes: number;
  readonly #waiting = new Map<string, ExecutionRow>();
  readonly #failed = new Map<string, ExecutionRow>();
  /** How many rows of each id wait. */
  readonly #ids = new Map<string, number>();
  #bytes = 0;
  #problem = '';
  #trying: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(database: Database, mostBytes = defaultMostBytes) {
    this.#upsert = createUpsert(database);
    this.#mostBytes = mostBytes;
  }

  save(row: ExecutionRow): void {
    this.#put(this.#waiting, row);
    this.#trying ??= this.#writeAll();
  }

  /** Whether it waits to be written. Throws `audit-unwritable` if too much waits. */
  has(caller: string, id: string): boolean {
    const key = keyOf({ caller, id });
    return this.#waiting.has(key) || this.#failed.has(key) || this.#isElsewhere();
  }

  /** Whether a row of any caller with this id waits. Throws as `has` does. */
  hasId(id: string): boolean {
    return this.#ids.has(id) || this.#isElsewhere();
  }

  /** False: what does not wait here was written. */
  #isElsewhere(): false {
    if (this.#problem === '' || this.#bytes < this.#mostBytes) return false;
    throw new ClawrdenError('audit-unwritable', `the history cannot be written: ${this.#problem}`);
  }

  /** Resolves when everything that waits was tried. */
  async tried(): Promise<void> {
    await this.#trying;
  }

  /** Empty, or why some rows could not be written. */
  problem(): string {
    return this.#problem;
  }

  async close(): Promise<void> {
    await this.#trying;
    this.#tryAgain();
    await this.#trying;
    clearTimeout(this.#again);
  }

  #put(into: Map<string, ExecutionRow>, row: ExecutionRow): void {
    const key = keyOf(row);
    this.#forget(this.#waiting, key);
    this.#forget(this.#failed, key);
    into.set(key, row);
    this.#ids.set(row.id, (this.#ids.get(row.id) ?? 0) + 1);
    this.#bytes += sizeOf(row);
  }

  #forget(from: Map<string, ExecutionRow>, key: string): void {
    const row = from.get(key);
    if (row === undefined) return;
    from.delete(key);
    this.#bytes -= sizeOf(row);
    const left = (this.#ids.get(row.id) ?? 1) - 1;
    if (left === 0) this.#ids.delete(row.id);
    else this.#ids.set(row.id, left);
  }

  /**
   * One row that cannot be written does not block its neighbours. If the database itself fails, it is not tried again
   * for each row.
   */
  async #write(rows: readonly ExecutionRow[]): Promise<void> {
    const error: unknown = await this.#upsert(rows).then(() => undefined, asError);
    const unchanged = () => rows.filter((row) => this.#waiting.get(keyOf(row)) === row);
    if (error === undefined) {
      for (const row of unchanged()) this.#forget(this.#waiting, keyOf(row));
      return;
    }
    this.#problem = messageOf(error);
    if (!isOfOneRow(error)) for (const row of [...this.#waiting.values()]) this.#put(this.#failed, row);
    else if (rows.length > 1) for (const row of rows) await this.#write([row]);
    else for (const row of unchanged()) this.#put(this.#failed, row);
  }

  async #writeAll(): Promise<void> {
    for (let isAll = true; this.#waiting.size > 0; ) {
      // An execution changes several times within milliseconds: only its newest state is written.
      await (isAll ? sleep(settleMs) : turn());
      const rows = firstOf(this.#waiting.values());
      isAll = rows.length === this.#waiting.size;
      await this.#write(rows);
    }
    if (this.#failed.size === 0) this.#problem = '';
    else this.#again ??= setTimeout(() => this.#tryAgain(), againMs).unref();
    this.#trying = undefined;
  }

  #tryAgain(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    for (const row of [...this.#failed.values()]) this.#put(this.#waiting, row);
    if (this.#waiting.size > 0) this.#trying ??= this.#writeAll();
  }
}

function keyOf({ caller, id }: { readonly caller: string; readonly id: string }): string {
  return `${caller} ${id}`;
}

/** One at least. */
function firstOf(waiting: Iterable<ExecutionRow>): ExecutionRow[] {
  const rows: ExecutionRow[] = [];
  let lines = 0;
  for (const row of waiting) {
    lines += row.argv.length;
    if (rows.length === atOnce.rows || (rows.length > 0 && lines > atOnce.lines)) break;
    rows.push(row);
  }
  return rows;
}

/** An estimate: a row's numbers, and the overhead around it. */
const besides = 500;

function sizeOf(row: ExecutionRow): number {
  const texts = [row.argv, row.cwd, row.container, row.plan, row.operands, row.connections, row.text];
  return texts.reduce((sum, { length }) => sum + length, besides);
}

function asError(error: unknown): unknown {
  return error ?? new Error('it failed');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** SQLite's errors about a value, and not about the database. */
function isOfOneRow(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code !== 'string' || /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code);
}
