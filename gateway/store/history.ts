import type { ExecutionFilter, ExecutionRecord } from '../warden-view.ts';
import type { Database } from './database.ts';
import { fromRow, toRow } from './execution-row.ts';
import { isOpen } from './is-open.ts';
import { keepRetention } from './retention.ts';
import { WrittenBehind } from './written-behind.ts';

/** The executions that this gateway has seen. `save` is written behind; everything else reads what is written. */
export interface History {
  /** Keeps the newest state of an execution; on the disk soon after, in one transaction with its neighbours. */
  readonly save: (record: ExecutionRecord) => void;
  readonly list: (filter: ExecutionFilter) => Promise<ExecutionRecord[]>;
  /** By id or unambiguous beginning of one. */
  readonly find: (id: string) => Promise<ExecutionRecord | undefined>;
  readonly get: (caller: string, id: string) => Promise<ExecutionRecord | undefined>;
  /** Also what could not be written yet. Rejects with `audit-unwritable` once too much could not be. */
  readonly has: (caller: string, id: string) => Promise<boolean>;
  /** Empty, or why some of it could not be written. */
  readonly problem: () => string;
  readonly close: () => Promise<void>;
}

/** What ended more than `keepMs` ago is forgotten; left out, nothing is. The database is closed with the history. */
export function openHistory(database: Database, keepMs?: number): History {
  const rows = new WrittenBehind(database);
  const stopSweeping = keepMs === undefined ? () => {} : keepRetention(database, keepMs);

  return {
    save: (record) => rows.save(toRow(record)),
    list: async (filter) => {
      await rows.tried();
      return listExecutions(database, filter);
    },
    find: async (id) => {
      await rows.tried();
      return findExecution(database, id);
    },
    has: async (caller, id) => rows.has(caller, id) || (await hasExecution(database, caller, id)),
    get: async (caller, id) => {
      await rows.tried();
      return getExecution(database, caller, id);
    },
    problem: () => rows.problem(),
    close: async () => {
      stopSweeping();
      await rows.close();
      await database.destroy();
    },
  };
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
