import type { AuditLog } from '../audit/audit-log.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { Database, DrainedHostRow } from '../store/database.ts';
import { loosen, tighten } from './lasting-change.ts';

/** The Docker hosts that people drain. A change is on the disk before it is answered, and survives a restart. */
export interface Drains {
  readonly names: () => ReadonlySet<string>;
  /** `apply` puts the change into effect. */
  readonly set: (drain: Drain, apply: () => void) => Promise<void>;
}

export interface Drain {
  readonly host: string;
  readonly draining: boolean;
  readonly by: Principal;
  readonly reason: string;
}

export async function openDrains(database: Database, audit: AuditLog): Promise<Drains> {
  const rows = await database.selectFrom('drained_hosts').select('host').execute();
  const names = new Set(rows.map(({ host }) => host));
  return {
    names: () => names,
    set: ({ host, draining, by: caller, reason }, apply) => {
      const by = principalName(caller);
      const change = {
        apply: () => {
          if (draining) names.add(host);
          else names.delete(host);
          apply();
        },
        keep: () =>
          draining
            ? keepDrain(database, { host, set_by: by, reason, set_at: Date.now() })
            : database.deleteFrom('drained_hosts').where('host', '=', host).execute(),
        record: () =>
          audit.append({ type: 'host', host, state: draining ? 'draining' : 'ready', by, reason }),
        recordStay: () => audit.append({ type: 'host', host, state: 'draining', by, reason }),
        unkept: audit.unkept,
      };
      return draining ? tighten(change) : loosen(change);
    },
  };
}

export function keepDrain(database: Database, row: DrainedHostRow): Promise<unknown> {
  return database
    .insertInto('drained_hosts')
    .values(row)
    .onConflict((conflict) => conflict.column('host').doUpdateSet(row))
    .execute();
}
