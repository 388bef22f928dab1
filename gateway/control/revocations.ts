import { createListeners } from '../../src/listeners.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { Database } from '../store/database.ts';
import { epochOf, recordCertificate, wasEnrolled } from '../store/enrolment-tokens.ts';
import { tighten } from './lasting-change.ts';

/**
 * Principals (`kind:name`) whose certificates were revoked. Each revocation begins a new epoch of its principal, and
 * only certificates and enrolment tokens of the present epoch count: an enrolment that was under way during the
 * revocation belongs to an old epoch.
 */
export interface Revocations {
  /** `fingerprint` as `src/pki` writes it. */
  readonly isRevoked: (fingerprint: string, principal: string) => boolean;
  /** Whether the principal may hold a certificate that counts: it was never revoked, or was let in again since. */
  readonly mayHold: (principal: string) => boolean;
  /** How often the principal was revoked. */
  readonly epochOf: (principal: string) => number;
  /** Whether the principal holds a certificate, or held one. */
  readonly wasEnrolled: (principal: string) => Promise<boolean>;
  /** In force at once, and on the disk when it resolves. */
  readonly revoke: (principal: string, by: Principal, reason: string) => Promise<void>;
  /** Records a renewed certificate; false if the epoch in which it was requested is over. */
  readonly renewed: (certificate: IssuedCertificate) => Promise<boolean>;
  /** From now on the certificate counts; it is on the disk. False if its epoch is over. */
  readonly issued: (certificate: IssuedCertificate) => boolean;
  /** Calls `listener` whenever a principal was revoked. */
  readonly watch: (listener: () => void) => void;
}

export interface IssuedCertificate {
  readonly fingerprint: string;
  readonly principal: string;
  readonly epoch: number;
}

export async function openRevocations(database: Database, audit: AuditLog): Promise<Revocations> {
  const rows = await database.selectFrom('revocations').selectAll().execute();
  const epochs = new Map(rows.map(({ principal, epoch }) => [principal, epoch]));
  const recorded = await database.selectFrom('later_certificates').selectAll().execute();
  const good = new Map(recorded.map((row) => [row.fingerprint, row]));
  const { watch, tell } = createListeners();
  const present = (principal: string) => epochs.get(principal) ?? 0;

  function issued(certificate: IssuedCertificate): boolean {
    if (certificate.epoch !== present(certificate.principal)) return false;
    if (certificate.epoch > 0) good.set(certificate.fingerprint, certificate);
    return true;
  }

  return {
    isRevoked: (fingerprint, principal) =>
      present(principal) > 0 && good.get(fingerprint)?.epoch !== present(principal),
    mayHold: (principal) => {
      const epoch = present(principal);
      return (
        epoch === 0 || [...good.values()].some((its) => its.principal === principal && its.epoch === epoch)
      );
    },
    epochOf: present,
    wasEnrolled: (principal) => wasEnrolled(database, principal),
    revoke: async (principal, caller, reason) => {
      const by = principalName(caller);
      const epoch = present(principal) + 1;
      const apply = () => {
        epochs.set(principal, epoch);
        for (const [fingerprint, its] of good) if (its.principal === principal) good.delete(fingerprint);
        tell();
      };
      await tighten({
        apply,
        keep: () => keepRevocation(database, { principal, epoch, set_by: by, reason, set_at: Date.now() }),
        record: () => audit.append({ type: 'revocation', principal, by, reason, epoch }),
        unkept: audit.unkept,
      });
    },
    renewed: async (certificate) => {
      const { principal, epoch } = certificate;
      const isPresent = await database.transaction().execute(async (step) => {
        if ((await epochOf(step, principal)) !== epoch) return false;
        await recordCertificate(step, certificate);
        return true;
      });
      return isPresent && issued(certificate);
    },
    issued,
    watch,
  };
}

interface Revocation {
  readonly principal: string;
  readonly epoch: number;
  readonly set_by: string;
  readonly reason: string;
  readonly set_at: number;
}

/** Two calls at once may arrive here in either order; the later epoch stays. */
export function keepRevocation(database: Database, row: Revocation): Promise<void> {
  return database.transaction().execute(async (step) => {
    await step
      .deleteFrom('later_certificates')
      .where('principal', '=', row.principal)
      .where('epoch', '<', row.epoch)
      .execute();
    await step
      .insertInto('revocations')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('principal').doUpdateSet(row).where('revocations.epoch', '<', row.epoch),
      )
      .execute();
  });
}
