import { type Kysely, sql } from 'kysely';

/** The migrations of what rotations keep. */
export async function createSigningKeys(database: Kysely<unknown>): Promise<void> {
  const columns = ['key', 'former', 'set_by'].map((name) => `${name} text not null`).join(', ');
  const rest = 'former_until bigint not null, set_at bigint not null, primary key (key)';
  await sql.raw(`create table signing_keys (${columns}, ${rest})`).execute(database);
}

export async function createUnmoved(database: Kysely<unknown>): Promise<void> {
  await sql.raw('create table unmoved (principal text primary key not null)').execute(database);
}
