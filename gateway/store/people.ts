import type { Database } from './database.ts';
import type { PersonRow } from './principal-rows.ts';

/** What is removed stays so: a name is one person's for good, because certificates and records name it. */
export async function keepPerson(database: Database, row: PersonRow): Promise<void> {
  await database
    .insertInto('people')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row).where('people.removed', '=', 0))
    .execute();
}

export async function keepPersonRemoved(
  database: Database,
  row: Pick<PersonRow, 'name' | 'set_by' | 'set_at'>,
): Promise<void> {
  const gone = { ...row, role: '', scope: '{}', until: null, removed: 1, let_in: 0 };
  await database
    .insertInto('people')
    .values(gone)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(gone))
    .execute();
}
