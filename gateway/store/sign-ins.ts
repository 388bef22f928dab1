import type { Database } from './database.ts';
import type { SignInRow } from './principal-rows.ts';

export async function keepSignIn(database: Database, row: SignInRow): Promise<void> {
  await database
    .insertInto('sign_ins')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}

/** Whether a person of a provider has this name, of whichever one. */
export async function hasSignIn(database: Database, name: string): Promise<boolean> {
  const row = await database
    .selectFrom('sign_ins')
    .select('name')
    .where('name', '=', name)
    .executeTakeFirst();
  return row !== undefined;
}
