import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, callerName } from '../ports/caller.ts';
import type { Database } from '../store/database.ts';

/** The Docker hosts that operators drain. It is on the disk before it is answered, and outlives the gateway. */
export interface Drains {
  readonly names: () => ReadonlySet<string>;
  readonly set: (host: string, draining: boolean, by: Caller, reason: string) => Promise<void>;
}

export async function openDrains(database: Database, audit: AuditLog): Promise<Drains> {
  const rows = await database.selectFrom('drained_hosts').select('host').execute();
  const names = new Set(rows.map(({ host }) => host));
  return {
    names: () => names,
    set: async (host, draining, caller, reason) => {
      const by = callerName(caller);
      if (draining) {
        const row = { host, set_by: by, reason, set_at: Date.now() };
        await database
          .insertInto('drained_hosts')
          .values(row)
          .onConflict((conflict) => conflict.column('host').doUpdateSet(row))
          .execute();
        names.add(host);
      } else {
        await database.deleteFrom('drained_hosts').where('host', '=', host).execute();
        names.delete(host);
      }
      await audit.append({ type: 'host', host, state: draining ? 'draining' : 'ready', by, reason });
    },
  };
}
