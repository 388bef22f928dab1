import { sql } from 'kysely';

/** Literal, not bound: only then does the database see that the partial index answers the query. */
export const isOpen = sql<boolean>`state <> 'ended'`;
