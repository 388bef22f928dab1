import type { Database } from './database.ts';
import type { SigningKeyRow } from './principal-rows.ts';

/** Can be done again. */
export async function keepSigningKey(database: Database, row: SigningKeyRow): Promise<void> {
  await database
    .insertInto('signing_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

/** From the key that signs now back, each by its former one. */
export async function signingKeys(database: Database): Promise<SigningKeyRow[]> {
  const rows = await database.selectFrom('signing_keys').selectAll().execute();
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const formers = new Set(rows.map(({ former }) => former));
  const chain: SigningKeyRow[] = [];
  let next = rows.find(({ key }) => !formers.has(key));
  while (next !== undefined && chain.length < rows.length) {
    chain.push(next);
    next = byKey.get(next.former);
  }
  return chain;
}
