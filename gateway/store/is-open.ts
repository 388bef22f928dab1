import { sql } from 'kysely';

/** Literal, not bound: only then does the database see that the partial index answers the query. */
export const isOpen = sql<boolean>`state <> 'ended'`;

/** A command that got its plan in a container, and whose end nobody saw there. */
export const isUnseen = sql<boolean>`strategy = 'ghost' and host <> '' and outcome not in ('', 'exited')`;
