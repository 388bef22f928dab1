import type { Admission } from '../../ports/authentication.ts';
import type { Connection } from './connection.ts';
import type { Charge } from './in-pieces.ts';
import type { RelayPlace } from './relay-place.ts';

export interface ServedCall {
  /** The certificate of its connection; undefined if clients are not asked for one. */
  readonly admission: Admission | undefined;
  /** If the peer is a relay. */
  readonly place: RelayPlace | undefined;
  /** How often this header occurs: Node keeps the first and hides the others. */
  readonly authorizations: number;
  /** For what comes within it; if absent, its handler bounds that. */
  readonly charge: Charge | undefined;
}

export function servedOver(
  { admission, place, share }: Connection,
  path: string | undefined,
  rawHeaders: readonly string[],
): ServedCall {
  const isAuthorization = (text: string, index: number) => index % 2 === 0 && text === 'authorization';
  const authorizations = rawHeaders.filter(isAuthorization).length;
  return { admission, place, authorizations, charge: share.chargeOf(path) };
}
