import type { Database } from './database.ts';
import type { SignInRow } from './principal-rows.ts';

export async function keepSignIn(database: Database, row: SignInRow): Promise<void> {
  await database
    .insertInto('sign_ins')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}
