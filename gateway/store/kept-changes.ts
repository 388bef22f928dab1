import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { KeptFileRow, KeptFilter, KeptSet } from '../ports/workspace-view.ts';
import { believedTime } from './believed-time.ts';
import type { Database } from './database.ts';

/** Changes of workspaces that were kept and not applied. The files themselves are at the agents' homes. */
export interface KeptChanges {
  /** Resolves with the set's id; without files there is no set, and no id. */
  readonly add: (set: KeptSet) => Promise<string>;
  /** The newest first. Everything that was added before this was called is in it. */
  readonly page: (filter: KeptFilter) => Promise<KeptFileRow[]>;
  readonly find: (agent: string, id: string, number: number) => Promise<KeptFileRow | undefined>;
}

export interface KeptBounds {
  /** As long as the carriers keep the files. */
  readonly keepMs: number;
  /** Of one agent; its oldest go first. */
  readonly sets: number;
  /** Of the paths of one agent. */
  readonly bytes: number;
}

const defaults: KeptBounds = { keepMs: 30 * 24 * 3_600_000, sets: 1000, bytes: 8 * 1024 ** 2 };
const mostFiles = 1000;
/** Files that are deleted in one turn of the event loop, or those of one set more. */
const deletedAtOnce = 2000;
/** What a row takes besides its path. */
const besides = 64;

export function createKeptChanges(database: Database, bounds: KeptBounds = defaults): KeptChanges {
  let last: Promise<unknown> = Promise.resolve();
  const page = async (filter: KeptFilter) => {
    await last;
    return readPage(database, filter, (await believedTime(database)) - bounds.keepMs);
  };
  return {
    add: (set) => {
      if (set.files.length === 0) return Promise.resolve('');
      const adding = last.then(() => insert(database, set, bounds));
      // Those of all agents may come at once, and one has a turn of its own.
      last = adding.catch(() => {}).then(() => turn());
      return adding;
    },
    page,
    find: async (agent, id, number) => {
      if (id === '') return undefined;
      const rows = await page({ agent, id, behind: [Number.MAX_SAFE_INTEGER, 0], limit: mostFiles });
      return rows.find((row) => row.number === number);
    },
  };
}

async function insert(database: Database, set: KeptSet, bounds: KeptBounds): Promise<string> {
  const id = randomBytes(8).toString('hex');
  const { agent, host, execution, why, count } = set;
  const files = set.files.slice(0, mostFiles);
  const bytes = files.reduce((sum, { path, kept }) => sum + path.length + kept.length + besides, 0);
  const at = Date.now();
  await database.transaction().execute(async (transaction) => {
    const row = { id, agent, host, execution, why, at, count, bytes };
    const { row: inserted } = await transaction
      .insertInto('kept_sets')
      .values(row)
      .returning('row')
      .executeTakeFirstOrThrow();
    const none = { set_row: 0, number: 0, path: Buffer.alloc(0), whose: '', kept: '' };
    // Building it costs more than running it.
    const statement = transaction.insertInto('kept_files').values(none).compile();
    for (const [index, { path, whose, kept }] of files.entries())
      await transaction.executeQuery({ ...statement, parameters: [inserted, index + 1, path, whose, kept] });
  });
  // The set is kept, also if no room can be made; the next one tries it again.
  while (await makeRoom(database, agent, bounds).catch(() => false)) await turn();
  return id;
}

/** What is too old goes, of all agents; what is too much goes, of this one. Resolves with whether some went. */
async function makeRoom(database: Database, agent: string, { keepMs, sets, bytes }: KeptBounds) {
  const youngest = (await believedTime(database)) - keepMs;
  const gone = sql<{ row: number }>`delete from kept_sets where row in (select row from (
    select row, sum(files) over (order by row) - files as earlier from (
      select row, min(count, ${mostFiles}) as files from kept_sets where at < ${youngest} or row in (
        select row from (
          select row, row_number() over newest as place, sum(bytes) over newest as total
          from kept_sets where agent = ${agent} window newest as (order by row desc))
        where place > ${sets} or (total > ${bytes} and place > 1)))
    ) where earlier < ${deletedAtOnce}) returning row`;
  return await database.transaction().execute(async (transaction) => {
    const numbers = (await gone.execute(transaction)).rows.map(({ row }) => row);
    await sql`delete from kept_files
      where set_row in (select value from json_each(${JSON.stringify(numbers)}))`.execute(transaction);
    return numbers.length > 0;
  });
}

async function readPage(
  database: Database,
  { agent, id, behind, limit }: KeptFilter,
  youngest: number,
): Promise<KeptFileRow[]> {
  const [set, number] = behind ?? [Number.MAX_SAFE_INTEGER, 0];
  const rows = await database
    .selectFrom('kept_sets as s')
    .innerJoin('kept_files as f', 'f.set_row', 's.row')
    .select(['s.row', 's.id', 's.agent', 's.host', 's.execution', 's.why', 's.at', 's.count'])
    .select(['f.number', 'f.path', 'f.whose', 'f.kept'])
    .where('s.agent', '=', agent)
    .where('s.at', '>=', youngest)
    .where((where) =>
      where.or([
        where('s.row', '<', set),
        where.and([where('s.row', '=', set), where('f.number', '>', number)]),
      ]),
    )
    .$if(id !== '', (query) => query.where('s.id', '=', id))
    .orderBy('s.row', 'desc')
    .orderBy('f.number')
    .limit(limit)
    .execute();
  return rows.map(({ row, why, whose, path, number: place, ...same }) => ({
    ...same,
    number: place,
    why: why as KeptFileRow['why'],
    whose: whose as KeptFileRow['whose'],
    path: Buffer.from(path),
    place: [row, place],
  }));
}
