import type { Witness } from '../audit/witness.ts';
import type { Database } from './database.ts';

/** The end of the audit, as the database knows it. */
export function auditPosition(database: Database): Witness {
  let suspended = false;
  return {
    suspend: (isSuspended) => {
      suspended = isSuspended;
    },
    recorded: async () => {
      const row = await database.selectFrom('audit_position').select(['seq', 'hash']).executeTakeFirst();
      if (row !== undefined) return row;
      // Written by a version that kept no position: there was an audit, of unknown length.
      const any = await database.selectFrom('executions').select('id').limit(1).executeTakeFirst();
      return any === undefined ? 'nothing' : 'something';
    },
    record: async ({ seq, hash }) => {
      if (suspended && seq > 0) return;
      await database
        .insertInto('audit_position')
        .values({ one: 1, seq, hash })
        .onConflict((conflict) => conflict.column('one').doUpdateSet({ seq, hash }))
        .execute();
    },
  };
}
