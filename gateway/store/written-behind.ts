import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import { ClawrdenError } from '../../src/errors.ts';
import type { Database, ExecutionRow } from './database.ts';

/** Rows that are on the disk soon after. One whose write failed is kept, and tried again until it is there. */
export interface WrittenBehind {
  readonly save: (row: ExecutionRow) => void;
  /** Whether it waits to be written. Throws `audit-unwritable` once too much waits. */
  readonly has: (caller: string, id: string) => boolean;
  /** Resolves when everything that waits was tried. */
  readonly tried: () => Promise<void>;
  /** Empty, or why some of it could not be written. */
  readonly problem: () => string;
  readonly close: () => Promise<void>;
}

const settleMs = 10;
/** A turn of the event loop writes no more than this. */
const rowsAtOnce = 100;
const againMs = 1000;
/** Of what waits; more is not taken, so that no id is forgotten. */
const defaultMostBytes = 64 * 1024 * 1024;

export function writeBehind(database: Database, mostBytes = defaultMostBytes): WrittenBehind {
  const upsert = createUpsert(database);
  const waiting = new Map<string, ExecutionRow>();
  const failed = new Map<string, ExecutionRow>();
  let bytes = 0;
  let problem = '';
  let trying: Promise<void> | undefined;
  let again: NodeJS.Timeout | undefined;

  function forget(from: Map<string, ExecutionRow>, key: string): void {
    const row = from.get(key);
    if (row !== undefined && from.delete(key)) bytes -= sizeOf(row);
  }

  function put(into: Map<string, ExecutionRow>, row: ExecutionRow): void {
    const key = keyOf(row);
    forget(waiting, key);
    forget(failed, key);
    into.set(key, row);
    bytes += sizeOf(row);
  }

  /** One row that cannot be written does not keep its neighbours; a database that cannot be is not asked again for each. */
  async function write(rows: readonly ExecutionRow[]): Promise<void> {
    const error: unknown = await upsert(rows).then(() => undefined, asError);
    if (error === undefined) {
      for (const row of rows) if (waiting.get(keyOf(row)) === row) forget(waiting, keyOf(row));
      return;
    }
    problem = messageOf(error);
    if (!isOfOneRow(error)) for (const row of [...waiting.values()]) put(failed, row);
    else if (rows.length > 1) for (const row of rows) await write([row]);
    else for (const row of rows) if (waiting.get(keyOf(row)) === row) put(failed, row);
  }

  async function writeAll(): Promise<void> {
    while (waiting.size > 0) {
      // An execution changes several times in a few milliseconds: only what it has come to is written.
      await sleep(settleMs);
      await write([...waiting.values()].slice(0, rowsAtOnce));
    }
    if (failed.size === 0) problem = '';
    else again ??= setTimeout(tryAgain, againMs).unref();
    trying = undefined;
  }

  function tryAgain(): void {
    clearTimeout(again);
    again = undefined;
    for (const row of [...failed.values()]) put(waiting, row);
    if (waiting.size > 0) trying ??= writeAll();
  }

  return {
    save: (row) => {
      put(waiting, row);
      trying ??= writeAll();
    },
    has: (caller, id) => {
      const key = keyOf({ caller, id });
      if (waiting.has(key) || failed.has(key)) return true;
      if (problem === '' || bytes < mostBytes) return false;
      throw new ClawrdenError('audit-unwritable', `the history cannot be written: ${problem}`);
    },
    tried: async () => await trying,
    problem: () => problem,
    close: async () => {
      await trying;
      tryAgain();
      await trying;
      clearTimeout(again);
    },
  };
}

function keyOf({ caller, id }: { readonly caller: string; readonly id: string }): string {
  return `${caller} ${id}`;
}

/** About: a row's numbers, and what stands around it. */
const besides = 500;

function sizeOf(row: ExecutionRow): number {
  return besides + row.argv.length + row.cwd.length + row.plan.length + row.operands.length + row.text.length;
}

function asError(error: unknown): unknown {
  return error ?? new Error('it failed');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What SQLite says of a value, and not of the database. */
function isOfOneRow(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code !== 'string' || /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code);
}

/** Writes rows in one transaction, each with the same statement: building it costs more than running it. */
function createUpsert(database: Database): (rows: readonly ExecutionRow[]) => Promise<void> {
  let built: CompiledQuery | undefined;
  return async (rows) => {
    const [first] = rows;
    if (first === undefined) return;
    built ??= compileUpsert(database, first);
    const statement = built;
    const columns = columnsOf(first);
    await database.transaction().execute(async (transaction) => {
      for (const row of rows) {
        const parameters = columns.map((column) => row[column]);
        await transaction.executeQuery({ ...statement, parameters });
      }
    });
  };
}

function compileUpsert(database: Database, row: ExecutionRow): CompiledQuery {
  return database
    .insertInto('executions')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'id'])
        .doUpdateSet((expression) =>
          Object.fromEntries(columnsOf(row).map((column) => [column, expression.ref(`excluded.${column}`)])),
        ),
    )
    .compile();
}

function columnsOf(row: ExecutionRow): (keyof ExecutionRow)[] {
  return Object.keys(row) as (keyof ExecutionRow)[];
}
