import type { AuditLog } from '../audit/audit-log.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { Database } from '../store/database.ts';
import { epochOf, recordCertificate, wasEnrolled } from '../store/enrolment-tokens.ts';
import { tighten } from './lasting-change.ts';

/**
 * Relays that were revoked. Each revocation begins a new epoch of its relay, and only certificates and enrolment
 * tokens of the present epoch count: an enrolment that was under way during the revocation belongs to an old epoch.
 */
export interface Revocations {
  /** `fingerprint` as `src/pki` writes it. */
  readonly isRevoked: (fingerprint: string, relay: string) => boolean;
  /** How often the relay was revoked. */
  readonly epochOf: (relay: string) => number;
  /** Whether the relay holds a certificate, or held one. */
  readonly wasEnrolled: (relay: string) => Promise<boolean>;
  /** In force at once, and on the disk when it resolves. */
  readonly revoke: (relay: string, by: Principal, reason: string) => Promise<void>;
  /** Records a renewed certificate; false if the epoch in which it was requested is over. */
  readonly renewed: (certificate: IssuedCertificate) => Promise<boolean>;
  /** From now on the certificate counts; it is on the disk. False if its epoch is over. */
  readonly issued: (certificate: IssuedCertificate) => boolean;
  /** Calls `listener` whenever a relay was revoked. */
  readonly watch: (listener: () => void) => void;
}

export interface IssuedCertificate {
  readonly fingerprint: string;
  readonly relay: string;
  readonly epoch: number;
}

export async function openRevocations(database: Database, audit: AuditLog): Promise<Revocations> {
  const rows = await database.selectFrom('revoked_relays').selectAll().execute();
  const epochs = new Map(rows.map(({ relay, epoch }) => [relay, epoch]));
  const recorded = await database.selectFrom('reissued_certificates').selectAll().execute();
  const good = new Map(recorded.map((row) => [row.fingerprint, row]));
  const listeners = new Set<() => void>();
  const present = (relay: string) => epochs.get(relay) ?? 0;

  function issued(certificate: IssuedCertificate): boolean {
    if (certificate.epoch !== present(certificate.relay)) return false;
    if (certificate.epoch > 0) good.set(certificate.fingerprint, certificate);
    return true;
  }

  return {
    isRevoked: (fingerprint, relay) => present(relay) > 0 && good.get(fingerprint)?.epoch !== present(relay),
    epochOf: present,
    wasEnrolled: (relay) => wasEnrolled(database, relay),
    revoke: async (relay, caller, reason) => {
      const by = principalName(caller);
      const epoch = present(relay) + 1;
      const apply = () => {
        epochs.set(relay, epoch);
        for (const [fingerprint, its] of good) if (its.relay === relay) good.delete(fingerprint);
        for (const listener of listeners) listener();
      };
      await tighten({
        apply,
        keep: () => keepRevocation(database, { relay, epoch, set_by: by, reason, set_at: Date.now() }),
        record: () => audit.append({ type: 'revocation', relay, by, reason, epoch }),
        unkept: audit.unkept,
      });
    },
    renewed: async (certificate) => {
      const { relay, epoch } = certificate;
      const isPresent = await database.transaction().execute(async (step) => {
        if ((await epochOf(step, relay)) !== epoch) return false;
        await recordCertificate(step, certificate);
        return true;
      });
      return isPresent && issued(certificate);
    },
    issued,
    watch: (listener) => void listeners.add(listener),
  };
}

interface Revocation {
  readonly relay: string;
  readonly epoch: number;
  readonly set_by: string;
  readonly reason: string;
  readonly set_at: number;
}

/** Two calls at once may arrive here in either order; the later epoch stays. */
export function keepRevocation(database: Database, row: Revocation): Promise<void> {
  return database.transaction().execute(async (step) => {
    await step
      .deleteFrom('reissued_certificates')
      .where('relay', '=', row.relay)
      .where('epoch', '<', row.epoch)
      .execute();
    await step
      .insertInto('revoked_relays')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('relay').doUpdateSet(row).where('revoked_relays.epoch', '<', row.epoch),
      )
      .execute();
  });
}
