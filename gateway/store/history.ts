import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import type { ExecutionFilter, ExecutionRecord } from '../warden-view.ts';
import type { Database, ExecutionRow } from './database.ts';
import { fromRow, toRow } from './execution-row.ts';
import { isOpen } from './is-open.ts';
import { keepRetention } from './retention.ts';

/** The executions that this gateway has seen. `save` is written behind; everything else reads what is written. */
export interface History {
  /** Keeps the newest state of an execution; on the disk soon after, in one transaction with its neighbours. */
  readonly save: (record: ExecutionRecord) => void;
  readonly list: (filter: ExecutionFilter) => Promise<ExecutionRecord[]>;
  /** By id or unambiguous beginning of one. */
  readonly find: (id: string) => Promise<ExecutionRecord | undefined>;
  readonly get: (caller: string, id: string) => Promise<ExecutionRecord | undefined>;
  readonly has: (caller: string, id: string) => Promise<boolean>;
  /** Empty, or why the last write failed. */
  readonly problem: () => string;
  readonly close: () => Promise<void>;
}

const settleMs = 10;
/** A turn of the event loop writes no more than this. */
const rowsAtOnce = 100;

/** What ended more than `keepMs` ago is forgotten; left out, nothing is. The database is closed with the history. */
export function openHistory(database: Database, keepMs?: number): History {
  const unsaved = new Map<string, ExecutionRow>();
  const upsert = createUpsert(database);
  let saving: Promise<void> | undefined;
  let problem = '';
  const stopSweeping = keepMs === undefined ? () => {} : keepRetention(database, keepMs);

  async function saveAll(): Promise<void> {
    while (unsaved.size > 0) {
      // An execution changes several times in a few milliseconds: only what it has come to is written.
      await sleep(settleMs);
      const batch = [...unsaved].slice(0, rowsAtOnce);
      try {
        await upsert(batch.map(([, row]) => row));
        problem = '';
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
      for (const [key, row] of batch) if (unsaved.get(key) === row) unsaved.delete(key);
    }
    saving = undefined;
  }

  return {
    save: (record) => {
      unsaved.set(keyOf(record.caller, record.id), toRow(record));
      saving ??= saveAll();
    },
    list: async (filter) => {
      await saving;
      return listExecutions(database, filter);
    },
    find: async (id) => {
      await saving;
      return findExecution(database, id);
    },
    has: async (caller, id) => unsaved.has(keyOf(caller, id)) || (await hasExecution(database, caller, id)),
    get: async (caller, id) => {
      await saving;
      return getExecution(database, caller, id);
    },
    problem: () => problem,
    close: async () => {
      stopSweeping();
      await saving;
      await database.destroy();
    },
  };
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
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

async function listExecutions(database: Database, filter: ExecutionFilter): Promise<ExecutionRecord[]> {
  let query = database
    .selectFrom('executions')
    .selectAll()
    .orderBy('received_at', 'desc')
    .limit(filter.limit);
  if (filter.running) query = query.where(isOpen);
  if (filter.agent !== '') query = query.where('agent', '=', filter.agent);
  if (filter.decision !== '') query = query.where('decision', '=', filter.decision);
  if (filter.since !== undefined) query = query.where('received_at', '>=', filter.since);
  return (await query.execute()).map(fromRow);
}

async function getExecution(
  database: Database,
  caller: string,
  id: string,
): Promise<ExecutionRecord | undefined> {
  const query = database
    .selectFrom('executions')
    .selectAll()
    .where('caller', '=', caller)
    .where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row && fromRow(row);
}

async function hasExecution(database: Database, caller: string, id: string): Promise<boolean> {
  const query = database
    .selectFrom('executions')
    .select('id')
    .where('caller', '=', caller)
    .where('id', '=', id);
  return (await query.executeTakeFirst()) !== undefined;
}

/** The character after the last one of an id's alphabet: with it a prefix becomes a range on the index. */
const afterAnyId = '~';

async function findExecution(database: Database, id: string): Promise<ExecutionRecord | undefined> {
  const rows = await database
    .selectFrom('executions')
    .selectAll()
    .where('id', '>=', id)
    .where('id', '<', id + afterAnyId)
    .limit(2)
    .execute();
  const exact = rows.find((row) => row.id === id);
  const row = exact ?? (rows.length === 1 ? rows[0] : undefined);
  return row && fromRow(row);
}
