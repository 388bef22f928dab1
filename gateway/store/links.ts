import type { KnownLink } from '../ports/known-principals.ts';
import type { Database } from './database.ts';

export async function keepLink(
  database: Database,
  { principal, person, by, since }: KnownLink,
): Promise<void> {
  const row = { principal, person, set_by: by, set_at: since };
  await database
    .insertInto('links')
    .values(row)
    .onConflict((conflict) => conflict.column('principal').doUpdateSet(row))
    .execute();
}

export async function dropLink(database: Database, principal: string): Promise<void> {
  await database.deleteFrom('links').where('principal', '=', principal).execute();
}
