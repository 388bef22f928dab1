import { type Kysely, sql } from 'kysely';

export async function createSignIns(database: Kysely<unknown>): Promise<void> {
  await sql`create table sign_ins (name text primary key not null, issuer text not null, subject text not null,
    groups text not null, until bigint, set_at bigint not null, unique (issuer, subject))`.execute(database);
}
