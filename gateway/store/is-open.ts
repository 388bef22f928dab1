import { sql } from 'kysely';

/** Literal, not bound: only then a database sees that the partial index on it answers the query. */
export const isOpen = sql<boolean>`state <> 'ended'`;
