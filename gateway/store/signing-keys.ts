import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** A hand-over of the signing key, as the audit has it. */
export interface SigningKeyRow {
  /** Public, as `src/audit` writes keys. */
  key: string;
  former: string;
  /** Tokens of the former key count until then. */
  former_until: number;
  set_by: string;
  set_at: number;
}

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

/** The schema's part of it. */
export async function createSigningKeys(database: Kysely<unknown>): Promise<void> {
  const columns =
    'key text primary key not null, former text not null, former_until bigint not null, set_by text not null, set_at bigint not null';
  await sql.raw(`create table signing_keys (${columns})`).execute(database);
}
