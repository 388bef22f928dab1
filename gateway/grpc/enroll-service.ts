import { status } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import {
  type EnrollRequest,
  type EnrollResponse,
  RelayServiceService,
} from '../../src/gen/clawrden/v1/relay.ts';
import { addressKey } from '../connections/address-key.ts';
import { createCallBudget } from '../connections/call-budget.ts';
import { createWrongTries, tryFrom } from '../connections/wrong-tries.ts';
import type { Enrolment } from '../ports/authentication.ts';
import { CallRefused } from './calls/errors.ts';
import { type RelayCallRates, relayCallRates } from './calls/relay-call-rates.ts';
import { unary } from './calls/unary.ts';

/** Only `Enroll`: its callers have no certificate yet. */
export const enrollOnly = { enroll: RelayServiceService.enroll } as const;

export interface EnrollServiceParts {
  readonly enrolment: Enrolment;
  /** Port of the mTLS listener; its host name is the one of this listener. */
  readonly grpcPort: number;
  /** `relayCallRates` if absent. */
  readonly rates?: RelayCallRates;
  readonly log: Logger;
}

export function enrollService({ enrolment, grpcPort, rates = relayCallRates, log }: EnrollServiceParts): {
  readonly enroll: ReturnType<typeof unary<EnrollRequest, EnrollResponse>>;
} {
  const budget = createCallBudget('enrolment', rates.enroll);
  const tries = createWrongTries();
  return {
    enroll: unary<EnrollRequest, EnrollResponse>(async ({ token, certificateRequest }, call) => {
      const from = call.getPeer().replace(/:\d+$/, '').replaceAll(/[[\]]/g, '');
      budget.charge(addressKey(from));
      // A code is not to be guessed.
      const enrolled = await tryFrom(tries, {
        ...{ from, what: 'enrolment tokens' },
        attempt: () => enrolment.enroll(token, certificateRequest, call.getPeer()),
        isWrong: (checked) => 'refused' in checked,
      });
      if ('refused' in enrolled) {
        log.warn({ peer: call.getPeer(), reason: enrolled.refused }, 'enrolment refused');
        throw new CallRefused(status.PERMISSION_DENIED, enrolled.refused);
      }
      const { relay, person, program, agents, certificate, authority } = enrolled.value;
      log.info({ peer: call.getPeer(), relay, person, program, agents }, 'enrolled');
      return {
        ...{ relay, person, program },
        agents: [...agents],
        certificate,
        certificateAuthority: authority,
        grpcAddress: `${call.getHost().replace(/:\d+$/, '')}:${grpcPort}`,
      };
    }),
  };
}
