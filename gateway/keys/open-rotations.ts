import type { AuditLog } from '../audit/audit-log.ts';
import type { Rotations } from '../ports/rotations.ts';
import type { Database } from '../store/database.ts';
import type { Authorities, AuthorityPair } from './authorities.ts';
import type { KeyRing } from './key-ring.ts';
import { openAuthorities } from './rotate-authority.ts';
import { createRotateSigningKey } from './rotate-signing-key.ts';
import { openUnmoved } from './unmoved.ts';

export interface OpenRotations extends Disposable {
  readonly authorities: Authorities;
  readonly rotations: Rotations;
  /** What a person should know of those that are under way. */
  readonly rotating: () => readonly string[];
  /** Call it with who shows a certificate of the authority that signs now. */
  readonly onMoved: (principal: string) => void;
}

interface Records {
  readonly audit: AuditLog;
  readonly database: Database;
  readonly keys: KeyRing;
}

/** What an admin rotates: the keys of `identity`, which is in `folder`. */
export async function openRotations(
  folder: string,
  identity: AuthorityPair & { readonly gatewayId: string },
  records: Records,
): Promise<OpenRotations> {
  const unmoved = await openUnmoved(records.database);
  const { gatewayId } = identity;
  const live = await openAuthorities({ ...records, folder, gatewayId, first: identity, unmoved });
  const signingKey = createRotateSigningKey({ ...records, folder });
  return {
    authorities: live.authorities,
    rotations: { authority: live.rotate, signingKey },
    rotating: live.warnings,
    onMoved: unmoved.moved,
    [Symbol.dispose]: live[Symbol.dispose],
  };
}
