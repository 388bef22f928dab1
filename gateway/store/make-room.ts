import { setImmediate as turn } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';
import { createInTurn } from '../../src/in-turn.ts';
import type { Database } from './database.ts';

/** What a table keeps of all owners together has a size. */
export interface Room {
  readonly table: 'outputs' | 'recordings' | 'detached';
  readonly mostBytes: number;
  /** Deletes the oldest that the owner can lose, and nothing if there is no such. */
  readonly deleteOldest: (owner: string) => RawBuilder<unknown>;
}

/**
 * Resolves when there is room. The oldest of the owner that has most goes first: what one of them writes takes nothing
 * from those that have less.
 */
export function createMakeRoom(database: Database, room: Room): () => Promise<void> {
  const inTurn = createInTurn();
  return () =>
    inTurn(async () => {
      while (await deleteOne(database, room)) await turn();
    });
}

/** Whether there may be more to delete. */
async function deleteOne(database: Database, { table, mostBytes, deleteOldest }: Room): Promise<boolean> {
  const all = database.selectFrom('room_sizes').select(['owner', 'bytes']).where('room', '=', table);
  const sizes = await all.orderBy('bytes', 'desc').execute();
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= mostBytes) return false;
  // What has not ended stays, so that the owner that has most may have nothing to lose.
  for (const { owner } of sizes) {
    const { numAffectedRows = 0n } = await deleteOldest(owner).execute(database);
    if (numAffectedRows > 0n) return true;
  }
  return false;
}
