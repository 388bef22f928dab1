import { type Kysely, sql } from 'kysely';

/** What is deleted for good goes by this time: a wall clock that is ahead is not believed at once. */
export interface BelievedTimeRow {
  /** Always 1: there is one row. */
  one: number;
  at: number;
  /** By so much the wall clock was ahead of it, at least, in the last `ran` milliseconds in which a gateway ran. */
  ahead: number;
  ran: number;
}

export async function createBelievedTime(database: Kysely<unknown>): Promise<void> {
  await sql`create table believed_time (one bigint primary key not null, at bigint not null, ahead bigint not null,
    ran bigint not null)`.execute(database);
}
