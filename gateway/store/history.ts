import { createNextPiece } from '../../src/next-piece.ts';
import type {
  ExecutionRecord,
  FoundRows,
  HistoryFilter,
  HistoryRow,
  HistorySearch,
} from '../ports/execution-record.ts';
import type { Database, ExecutionRow } from './database.ts';
import { fromRow, toRow } from './execution-row.ts';
import { pageOfHistory } from './history-page.ts';
import { createHistoryRoom } from './history-room.ts';
import { isOpen, isUnseen } from './is-open.ts';
import { keepRetention } from './retention.ts';
import { searchHistory } from './search.ts';
import { WrittenBehind } from './written-behind.ts';

/** The executions that this gateway has seen. `save` writes later; all other functions read only what is written. */
export interface History {
  /** Keeps the newest state of an execution. It is on the disk soon after, in one transaction with others. */
  readonly save: (record: ExecutionRecord) => void;
  /** The newest first, read a few at a time. */
  readonly page: (filter: HistoryFilter) => AsyncIterable<HistoryRow>;
  /** The latest first. */
  readonly search: (search: HistorySearch) => Promise<FoundRows>;
  /** All that have not ended. */
  readonly unended: () => Promise<ExecutionRecord[]>;
  /** Ended commands in containers whose end was not seen, on other hosts than these; the newest thousand. */
  readonly unseenEnds: (hosts: readonly string[]) => Promise<ExecutionRecord[]>;
  /**
   * By id or by an unambiguous beginning of one; only of the given caller and agents, if there are any. A beginning that
   * 2,000 ids have is ambiguous, whosever they are.
   */
  readonly find: (
    id: string,
    caller?: string,
    agents?: readonly string[],
  ) => Promise<ExecutionRecord | undefined>;
  readonly get: (caller: string, id: string) => Promise<ExecutionRecord | undefined>;
  /** Includes states that are not written yet. Rejects with `audit-unwritable` if too much could not be written. */
  readonly has: (caller: string, id: string) => Promise<boolean>;
  /** Whether any caller has used the id; as `has` otherwise. */
  readonly isUsed: (id: string) => Promise<boolean>;
  /** For an id that `isUsed` does not know. Rejects with `id-too-old` if it may be one that is not kept any more. */
  readonly checkId: (caller: string, id: string) => Promise<void>;
  /** From now on no caller's id of up to this time is taken. */
  readonly forgetUpTo: (time: number) => Promise<void>;
  /** Empty, or why some states could not be written. */
  readonly problem: () => string;
  readonly close: () => Promise<void>;
}

export interface HistoryLimits {
  /** Executions that ended longer ago are deleted. */
  readonly historyMs: number;
  /** If all executions together take more, the oldest of the agent that has most are deleted. */
  readonly historyBytes: number;
}

const roomEveryMs = 10_000;

/** Without limits nothing is deleted. Pages and searches take turns with other pieces. Closing it closes the database. */
export function openHistory(
  database: Database,
  limits?: HistoryLimits,
  nextPiece = createNextPiece(),
): History {
  const rows = new WrittenBehind(database);
  const stopSweeping = limits === undefined ? () => {} : keepRetention(database, limits.historyMs);
  const room = createHistoryRoom(database, limits?.historyBytes ?? Number.POSITIVE_INFINITY);
  // A failed removal is tried again; if the database cannot be written, its writers report it.
  const makeRoom = () => void room.makeRoom().catch(() => {});
  const timer = setInterval(makeRoom, roomEveryMs).unref();

  return {
    save: (record) => rows.save(toRow(record)),
    page: async function* (filter) {
      await rows.tried();
      yield* pageOfHistory(database, filter, nextPiece);
    },
    search: async (search) => {
      await rows.tried();
      return searchHistory(database, search, nextPiece);
    },
    unended: async () => {
      await rows.tried();
      const open = database.selectFrom('executions').selectAll().where(isOpen);
      return (await open.execute()).map(fromRow);
    },
    unseenEnds: async (hosts) => {
      await rows.tried();
      return unseenEnds(database, hosts);
    },
    find: async (id, caller = '', agents) => {
      await rows.tried();
      const found = await findExecution(database, id, caller, agents);
      return found && getExecution(database, found.caller, found.id);
    },
    has: async (caller, id) => rows.has(caller, id) || (await hasExecution(database, caller, id)),
    isUsed: async (id) => rows.hasId(id) || (await isUsed(database, id)),
    get: async (caller, id) => {
      await rows.tried();
      return getExecution(database, caller, id);
    },
    checkId: room.checkId,
    forgetUpTo: room.forgetUpTo,
    problem: () => rows.problem(),
    close: async () => {
      clearInterval(timer);
      stopSweeping();
      await rows.close();
      await database.destroy();
    },
  };
}

const mostUnseen = 1_000;

async function unseenEnds(database: Database, hosts: readonly string[]): Promise<ExecutionRecord[]> {
  const all = database.selectFrom('executions').selectAll().where(isUnseen);
  const elsewhere = hosts.length === 0 ? all : all.where('host', 'not in', hosts);
  const rows = await elsewhere.orderBy('received_at', 'desc').limit(mostUnseen).execute();
  return rows.map(fromRow);
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

async function isUsed(database: Database, id: string): Promise<boolean> {
  const query = database.selectFrom('executions').select('id').where('id', '=', id).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Characters of an id that is no beginning of one. */
const wholeId = 36;
/**
 * Of ids with one beginning. Whose they are is looked at in their rows: the database would rather go through all rows
 * of an agent than through these.
 */
const mostAlike = 2_000;

/** The character after the last one of an id's alphabet: with it a prefix becomes a range of the index. */
const afterAnyId = '~';

async function findExecution(
  database: Database,
  id: string,
  caller: string,
  agents: readonly string[] | undefined,
): Promise<Pick<ExecutionRow, 'id' | 'caller'> | undefined> {
  const all = database.selectFrom('executions').select(['caller', 'id', 'agent']);
  const query = caller === '' ? all : all.where('caller', '=', caller);
  const seen = agents && new Set(agents);
  const isSeen = ({ agent }: { readonly agent: string }) => seen?.has(agent) ?? true;
  const exact = (await query.where('id', '=', id).limit(mostAlike).execute()).filter(isSeen);
  if (exact.length > 0) return exact.length === 1 ? exact[0] : undefined;
  if (id.length >= wholeId) return undefined;
  const alike = await query
    .where('id', '>=', id)
    .where('id', '<', id + afterAnyId)
    .limit(seen === undefined ? 2 : mostAlike)
    .execute();
  const ofAgents = alike.length === mostAlike ? [] : alike.filter(isSeen);
  return ofAgents.length === 1 ? ofAgents[0] : undefined;
}
