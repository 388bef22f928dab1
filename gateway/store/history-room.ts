import { setImmediate as turn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { ClawrdenError } from '../../src/errors.ts';
import { timeOfExecutionId } from '../../src/execution-id.ts';
import type { Database, Tables } from './database.ts';

/** Keeps the history of all agents together below a size. */
export interface HistoryRoom {
  /**
   * For an id of which there is no row. Throws `id-too-old` if it may be one of those that were removed, or lost: it
   * must not start again.
   */
  readonly checkId: (caller: string, id: string) => Promise<void>;
  /** What any caller started with ids of up to this time may be lost. */
  readonly forgetUpTo: (time: number) => Promise<void>;
  /** Removes the oldest of whichever agent has most, until there is room; resolves with how many rows. */
  readonly makeRoom: () => Promise<number>;
}

/** Rows that are deleted in one turn: each takes a tenth of a millisecond, for its indexes. */
const batch = 100;
/** Every caller; no caller has this name. */
const everyCaller = '';

export function createHistoryRoom(database: Database, mostBytes: number): HistoryRoom {
  let known: ReadonlyMap<string, number> | undefined;
  let changing = 0;
  let changes = 0;

  async function change<T>(run: () => Promise<T>): Promise<T> {
    changing += 1;
    changes += 1;
    known = undefined;
    return await run().finally(() => {
      changing -= 1;
    });
  }

  async function horizons(): Promise<ReadonlyMap<string, number>> {
    if (known !== undefined) return known;
    const before = changes;
    const read = await readHorizons(database);
    if (changing === 0 && changes === before) known = read;
    return read;
  }

  return {
    checkId: async (caller, id) => {
      const all = await horizons();
      const time = timeOfExecutionId(id);
      const lost = all.get(everyCaller) ?? 0;
      if (time <= lost)
        throw tooOld(`records were lost; only ids from ${new Date(lost).toISOString()} on are taken`);
      if (time <= (all.get(caller) ?? 0)) throw tooOld('the history has no room for ids as old as this one');
    },
    forgetUpTo: (time) => change(() => raiseHorizon(database, everyCaller, time)),
    makeRoom: async () => {
      let removed = await removeApprovals(database);
      for (let more = true; more; await turn()) {
        const largest = await largestOf(database, mostBytes);
        const gone = largest === undefined ? 0 : await change(() => removeOldest(database, largest));
        removed += gone;
        more = gone > 0;
      }
      return removed;
    },
  };
}

function tooOld(why: string): ClawrdenError {
  return new ClawrdenError('id-too-old', why);
}

async function readHorizons(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await database.selectFrom('history_horizons').selectAll().execute();
  return new Map(rows.map(({ caller, id_time: time }) => [caller, time]));
}

/** Which agent's history is the largest; `undefined` if there is room for all. */
async function largestOf(database: Database, mostBytes: number): Promise<string | undefined> {
  const sizes = await database.selectFrom('history_sizes').selectAll().orderBy('bytes', 'desc').execute();
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  return all > mostBytes ? sizes[0]?.agent : undefined;
}

/** What a caller may have started with such an id is forgotten, and remembered to be, at once. */
function removeOldest(database: Database, agent: string): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ caller: string; id: string }>`delete from executions where rowid in (
      select rowid from executions where agent = ${agent} and ended_at is not null order by received_at limit ${batch})
      returning caller, id`.execute(transaction);
    const latest = new Map<string, number>();
    for (const { caller, id } of rows)
      latest.set(caller, Math.max(latest.get(caller) ?? 0, timeOfExecutionId(id)));
    for (const [caller, time] of latest) await raiseHorizon(transaction, caller, time);
    return rows.length;
  });
}

async function raiseHorizon(database: Kysely<Tables>, caller: string, time: number): Promise<void> {
  await sql`insert into history_horizons (caller, id_time) values (${caller}, ${time})
    on conflict (caller) do update set id_time = max(id_time, excluded.id_time)`.execute(database);
}

/** Answered questions say nothing that the audit does not, and have no plan any more. */
const mostApprovals = 100_000;

async function removeApprovals(database: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from approvals
    where rowid <= (select max(rowid) - ${mostApprovals} from approvals) and plan = '' and state <> 'pending'`.execute(
    database,
  );
  return Number(numAffectedRows);
}
