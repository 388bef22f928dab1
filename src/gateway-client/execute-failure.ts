import { type ServiceError, status } from '@grpc/grpc-js';
import { ClawrdenError } from '../errors.ts';
import { plainDetails } from './plain-details.ts';

/** The stream broke and the gateway did not refuse: a question may still wait there. */
export class CutOff extends ClawrdenError {
  override name = 'CutOff';
}

type Status = (typeof status)[keyof typeof status];

/** What a gRPC status means for an Execute stream that ended without an outcome. */
const meanings: Record<Status, 'cut-off' | 'not-let-in' | 'refused'> = {
  [status.OK]: 'cut-off',
  [status.CANCELLED]: 'cut-off',
  [status.UNKNOWN]: 'cut-off',
  [status.INVALID_ARGUMENT]: 'refused',
  [status.DEADLINE_EXCEEDED]: 'cut-off',
  [status.NOT_FOUND]: 'refused',
  [status.ALREADY_EXISTS]: 'refused',
  [status.PERMISSION_DENIED]: 'not-let-in',
  [status.RESOURCE_EXHAUSTED]: 'cut-off',
  [status.FAILED_PRECONDITION]: 'refused',
  [status.ABORTED]: 'cut-off',
  [status.OUT_OF_RANGE]: 'refused',
  [status.UNIMPLEMENTED]: 'refused',
  [status.INTERNAL]: 'cut-off',
  [status.UNAVAILABLE]: 'cut-off',
  [status.DATA_LOSS]: 'cut-off',
  [status.UNAUTHENTICATED]: 'not-let-in',
};

/** The failure of an Execute stream; `isAnswered` if the gateway had sent a message on it. */
export function executeFailure({ code, details }: ServiceError, isAnswered: boolean): ClawrdenError {
  const why = plainDetails(details);
  switch (meanings[code as Status] ?? 'cut-off') {
    case 'refused':
      return new ClawrdenError('request-invalid', why);
    case 'not-let-in':
      return new ClawrdenError('gateway-unreachable', `the gateway does not let this caller in: ${why}`);
    case 'cut-off':
      if (code !== status.UNAVAILABLE || isAnswered) return lost(why);
      return new CutOff('gateway-unreachable', `the gateway does not answer (${why})`);
  }
}

export function lost(why: string): CutOff {
  return new CutOff('gateway-lost', `the connection to the gateway was lost: ${why}`);
}
