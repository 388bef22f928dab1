import type { Admission } from '../../ports/authentication.ts';
import type { Charge } from './charge.ts';
import type { Connection } from './connection.ts';
import { boundOf, type MessageBound } from './message-bounds.ts';
import type { RelayPlace } from './relay-place.ts';

export interface ServedCall {
  /** The certificate of its connection; undefined if clients are not asked for one. */
  readonly admission: Admission | undefined;
  /** If the peer is a relay. */
  readonly place: RelayPlace | undefined;
  /** How often this header occurs: Node keeps the first and hides the others. */
  readonly authorizations: number;
  /** Of each of its messages. */
  readonly bound: MessageBound;
  /** For what comes within it. */
  readonly charge: Charge;
  /** Charges a message that had so many values. */
  readonly decoded: (values: number) => void;
}

export function servedOver(
  { admission, place, share }: Connection,
  path: string | undefined,
  rawHeaders: readonly string[],
): ServedCall {
  const isAuthorization = (text: string, index: number) => index % 2 === 0 && text === 'authorization';
  const authorizations = rawHeaders.filter(isAuthorization).length;
  return {
    ...{ admission, place, authorizations },
    bound: boundOf(path),
    charge: share.chargeOf(path),
    decoded: (values) => share.decoded(values),
  };
}
