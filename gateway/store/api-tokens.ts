import type { Database } from './database.ts';
import type { ApiTokenRow } from './principal-rows.ts';

/** What is removed stays so, and its name is not used again. */
export async function keepToken(
  database: Database,
  row: Omit<ApiTokenRow, 'used_at' | 'used_from'>,
): Promise<void> {
  await database
    .insertInto('api_tokens')
    .values({ ...row, used_at: null, used_from: '' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row).where('api_tokens.removed', '=', 0))
    .execute();
}

export async function keepTokenRemoved(
  database: Database,
  row: Pick<ApiTokenRow, 'name' | 'set_by' | 'set_at'>,
): Promise<void> {
  const principal = { principal: '', role: '', scope: '{}', until: null };
  const digests = { digest: '', former_digest: '', former_until: 0 };
  const gone = { ...row, ...principal, ...digests, removed: 1 };
  await database
    .insertInto('api_tokens')
    .values({ ...gone, used_at: null, used_from: '' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(gone))
    .execute();
}

export interface TokenUse {
  readonly name: string;
  readonly used_at: number;
  readonly used_from: string;
}

export async function noteUses(database: Database, uses: readonly TokenUse[]): Promise<void> {
  await database.transaction().execute(async (step) => {
    for (const { name, ...use } of uses)
      await step.updateTable('api_tokens').set(use).where('name', '=', name).execute();
  });
}
