import type { Assignment } from '../../src/policy/assignment.ts';
import type { AssignmentRow } from './assignment-tables.ts';
import type { Database } from './database.ts';

export async function readAssignments(database: Database): Promise<Assignment[]> {
  const rows = await database
    .selectFrom('assignments')
    .selectAll()
    .orderBy('agent')
    .orderBy('tool')
    .execute();
  return rows.map(({ agent, tool, action, set_by: by }) => ({
    ...{ agent, tool, by },
    action: action === 'allow' ? 'allow' : 'ask',
  }));
}

export async function keepAssignment(database: Database, row: AssignmentRow): Promise<void> {
  await database
    .insertInto('assignments')
    .values(row)
    .onConflict((conflict) => conflict.columns(['agent', 'tool']).doUpdateSet(row))
    .execute();
}

export async function dropAssignment(
  database: Database,
  { agent, tool }: Pick<Assignment, 'agent' | 'tool'>,
): Promise<void> {
  await database.deleteFrom('assignments').where('agent', '=', agent).where('tool', '=', tool).execute();
}
