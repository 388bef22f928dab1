import type { AssignmentRecord } from '../audit/principal-records.ts';
import type { Recorded } from '../audit/recorded-executions.ts';
import { dropAssignment, keepAssignment } from '../store/assignments.ts';
import type { Database } from '../store/database.ts';
import type { PrincipalChange } from './principals-behind.ts';

/**
 * What is stricter counts, whatever the wall clock said: what an admin gives is in the audit first. What the database lacks
 * of that has to be given again.
 */
export async function assignmentChanges(
  database: Database,
  words: ReadonlyMap<string, Recorded<AssignmentRecord>>,
): Promise<PrincipalChange[]> {
  const rows = await database.selectFrom('assignments').selectAll().execute();
  return rows.flatMap((row) => {
    const word = words.get(`${row.agent} ${row.tool}`);
    if (word === undefined) return [];
    const name = `${row.tool} of agent ${row.agent}`;
    if (word.event !== 'assigned')
      return [{ text: `${name} unassigned`, apply: () => dropAssignment(database, row) }];
    if (word.action !== 'ask' || row.action === 'ask') return [];
    return [{ text: `${name} asks`, apply: () => keepAssignment(database, { ...row, action: 'ask' }) }];
  });
}
