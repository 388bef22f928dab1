import type { Database } from './database.ts';

/** Marks a one-time token as used; false where it was used before. `expiresAt` is epoch milliseconds. */
export async function spendToken(database: Database, jti: string, expiresAt: number): Promise<boolean> {
  await database.deleteFrom('spent_tokens').where('expires_at', '<', Date.now()).execute();
  const result = await database
    .insertInto('spent_tokens')
    .values({ jti, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
