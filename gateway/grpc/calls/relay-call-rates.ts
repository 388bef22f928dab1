import type { RelayServiceService } from '../../../src/gen/clawrden/v1/relay.ts';
import type { CallRate } from '../../connections/call-budget.ts';

type Methods = typeof RelayServiceService;

type Unary = {
  [Name in keyof Methods]: Methods[Name] extends { requestStream: false; responseStream: false }
    ? Name
    : never;
}[keyof Methods];

/** A rate for every call that a certificate or an enrolment token alone allows: each of them signs. */
export type RelayCallRates = Readonly<Record<Unary, CallRate>>;

export const relayCallRates: RelayCallRates = {
  // A relay enrols once; many may be behind one address.
  enroll: { atOnce: 20, perSecond: 2 },
  // One for each connection, and one in ten minutes.
  token: { atOnce: 200, perSecond: 50 },
  // One in 60 days.
  renew: { atOnce: 8, perSecond: 0.1 },
};
