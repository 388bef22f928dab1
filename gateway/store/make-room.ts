import { setImmediate as turn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { createInTurn } from '../../src/in-turn.ts';
import type { Database } from './database.ts';
import { sizeIn } from './room-tables.ts';

/** Rows with one key go together: a recording without its last parts would be taken for the whole. */
const kept = {
  outputs: { owner: 'agent', key: ['caller', 'execution'], time: 'saved_at' },
  recordings: { owner: 'agent', key: ['caller', 'execution'], time: 'saved_at' },
  detached: { owner: 'caller', key: ['caller', 'id'], time: 'ended_at' },
} as const;

type Table = keyof typeof kept;

/** What is deleted in one turn of the event loop. */
const atOnce = { rows: 500, bytes: 8 * 1024 * 1024 };

/**
 * What a table keeps of all owners together has a size; resolves when there is room. The oldest of the owner that has
 * most goes first: what one of them writes takes nothing from those that have less.
 */
export function createMakeRoom(database: Database, table: Table, mostBytes: number): () => Promise<void> {
  const inTurn = createInTurn();
  return () =>
    inTurn(async () => {
      while (await deleteSome(database, table, mostBytes)) await turn();
    });
}

/** Whether there may be more to delete. */
async function deleteSome(database: Database, table: Table, mostBytes: number): Promise<boolean> {
  const all = database.selectFrom('room_sizes').select(['owner', 'bytes']).where('room', '=', table);
  const sizes = await all.orderBy('bytes', 'desc').execute();
  const excess = sizes.reduce((sum, { bytes }) => sum + bytes, -mostBytes);
  if (excess <= 0) return false;
  // What has not ended stays, so that the owner that has most may have nothing to lose.
  for (const [at, size] of sizes.entries()) {
    const wanted = size.bytes - levelOf(sizes.slice(at), excess);
    if (await deleteOldest(database, table, size.owner, Math.min(wanted, atOnce.bytes))) return true;
  }
  return false;
}

/** To this size the largest are cut if they lose the excess, always who has most then. The largest come first. */
function levelOf(sizes: readonly { readonly bytes: number }[], excess: number): number {
  let left = -excess;
  for (const [at, { bytes }] of sizes.entries()) {
    left += bytes;
    const level = left / (at + 1);
    if (level >= (sizes[at + 1]?.bytes ?? 0)) return level;
  }
  return 0;
}

/** No more than it takes: who has ten keeps the newest. False if there is none to delete. */
async function deleteOldest(
  database: Database,
  table: Table,
  owner: string,
  wanted: number,
): Promise<boolean> {
  const { owner: column, time } = kept[table];
  const own = sql`${sql.ref(column)} = ${owner} and ${sql.ref(time)} is not null`;
  return (await deleteFirst(database, table, own, wanted)) > 0;
}

/** Of what was kept before that time as much as is deleted in one turn; resolves with the number of rows. */
export function deleteBefore(database: Database, table: Table, before: number): Promise<number> {
  return deleteFirst(database, table, sql`${sql.ref(kept[table].time)} < ${before}`, atOnce.bytes);
}

async function deleteFirst(
  database: Database,
  table: Table,
  which: RawBuilder<unknown>,
  wanted: number,
): Promise<number> {
  const key = sql.join(kept[table].key.map((name) => sql.ref(name)));
  const time = sql.ref(kept[table].time);
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (${key}) in (
    select ${key} from (
      select ${key}, sum(size) over (order by time, row) - size as earlier from (
        select ${key}, ${sql.raw(sizeIn(''))} as size, ${time} as time, rowid as row from ${sql.table(table)}
        where ${which} order by ${time}, rowid limit ${atOnce.rows}
      )
    ) where earlier < ${wanted})`.execute(database);
  return Number(numAffectedRows);
}
