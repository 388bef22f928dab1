import type { AuditLog } from './audit/audit-log.ts';
import { type Caller, callerName } from './caller.ts';
import type { Database } from './store/database.ts';

/** Relays that were revoked: of their certificates only those count that were issued after. */
export interface Revocations {
  /** `fingerprint` as `src/pki` writes it. */
  readonly isRevoked: (fingerprint: string, relay: string) => boolean;
  /** Epoch milliseconds, of the last time; `undefined` where it never was. */
  readonly revokedAt: (relay: string) => number | undefined;
  /** In force at once, and on the disk when it resolves. */
  readonly revoke: (relay: string, by: Caller, reason: string) => Promise<void>;
  /** A certificate that is issued now; on the disk when it resolves. */
  readonly issued: (fingerprint: string, relay: string) => Promise<void>;
  /** Calls `listener` whenever a relay has been revoked. */
  readonly watch: (listener: () => void) => void;
}

export async function openRevocations(database: Database, audit: AuditLog): Promise<Revocations> {
  const rows = await database.selectFrom('revoked_relays').selectAll().execute();
  const revoked = new Map(rows.map(({ relay, set_at }) => [relay, set_at]));
  const after = await database.selectFrom('reissued_certificates').select('fingerprint').execute();
  const good = new Set(after.map(({ fingerprint }) => fingerprint));
  const listeners = new Set<() => void>();
  return {
    isRevoked: (fingerprint, relay) => revoked.has(relay) && !good.has(fingerprint),
    revokedAt: (relay) => revoked.get(relay),
    revoke: async (relay, caller, reason) => {
      const by = callerName(caller);
      const row = { relay, set_by: by, reason, set_at: Date.now() };
      revoked.set(relay, row.set_at);
      for (const fingerprint of await forget(database, relay)) good.delete(fingerprint);
      for (const listener of listeners) listener();
      await database
        .insertInto('revoked_relays')
        .values(row)
        .onConflict((conflict) => conflict.column('relay').doUpdateSet(row))
        .execute();
      await audit.append({ type: 'revocation', relay, by, reason });
    },
    issued: async (fingerprint, relay) => {
      if (!revoked.has(relay)) return;
      await database.insertInto('reissued_certificates').values({ fingerprint, relay }).execute();
      good.add(fingerprint);
    },
    watch: (listener) => void listeners.add(listener),
  };
}

/** Resolves with the fingerprints that counted until now. */
async function forget(database: Database, relay: string): Promise<string[]> {
  const rows = await database
    .deleteFrom('reissued_certificates')
    .where('relay', '=', relay)
    .returning('fingerprint')
    .execute();
  return rows.map(({ fingerprint }) => fingerprint);
}
