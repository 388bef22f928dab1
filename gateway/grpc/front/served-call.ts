import type { CrumbPace } from '../../../src/crumb-budgets.ts';
import type { Admission } from '../../ports/authentication.ts';
import { both, type Charge, waiting } from './charge.ts';
import type { Connection } from './connection.ts';
import { boundOf, bringsMany, type MessageBound } from './message-bounds.ts';
import type { RelayPlace } from './relay-place.ts';
import type { CountedCall } from './unfinished-messages.ts';

/** The gateway notices the end of a stream only when it reads. */
const mostWaitMs = 5000;

export interface ServedCall extends Pick<CountedCall, 'countAsLane'> {
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
  /** Whether more than one message may come. */
  readonly bringsMany: boolean;
  /** Charges a message that had so many values. */
  readonly decoded: (values: number) => void;
  /** From now on its small messages have this pace: those beyond it wait here, undecoded. */
  readonly paceBy: (pace: CrumbPace) => void;
}

export function servedOver(
  { admission, place, share }: Connection,
  path: string | undefined,
  rawHeaders: readonly string[],
  { countAsLane }: Pick<CountedCall, 'countAsLane'>,
): ServedCall {
  const isAuthorization = (text: string, index: number) => index % 2 === 0 && text === 'authorization';
  const authorizations = rawHeaders.filter(isAuthorization).length;
  let pace: CrumbPace = () => 0;
  const paced: Charge = waiting(({ small }) => Math.min(mostWaitMs, pace(small)));
  return {
    ...{ admission, place, authorizations, countAsLane },
    ...{ bound: boundOf(path), bringsMany: bringsMany(path) },
    charge: both(share.chargeOf(path), paced),
    decoded: (values) => share.decoded(values),
    paceBy: (given) => {
      pace = given;
    },
  };
}
