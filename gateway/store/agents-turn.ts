import { sql } from 'kysely';

/**
 * What agents have waiting is sorted by this, descending, and then by `agent`: so the next one by name behind `last` has
 * its turn, and behind the last of all the first. No agent's has an empty name.
 */
export function isBehind(last: string) {
  return sql<boolean>`agent > ${last}`;
}
