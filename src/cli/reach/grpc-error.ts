import { type ServiceError, status } from '@grpc/grpc-js';
import { plainDetails } from '../../gateway-client/plain-details.ts';
import { escapeUnprintable } from '../../text/render-text.ts';
import { CliError } from './cli-error.ts';

export interface Asked {
  /** `HOST:PORT`. */
  readonly gateway: string;
  /** What the user should do if the gateway refuses; by default, ask somebody who may. */
  readonly refused?: string;
}

/** A gRPC failure as a line about `what`; any other error stays as it is. */
export function toCliError(error: unknown, what: string, asked: Asked): unknown {
  if (!isServiceError(error)) return error;
  const { gateway, refused = 'ask a person who may' } = asked;
  const details = escapeUnprintable(error.details);
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED: {
      const why = `${gateway} does not answer (${plainDetails(details)})`;
      return new CliError('gateway', why, 'is it running, and is this its address? see clawrden doctor');
    }
    case status.UNAUTHENTICATED:
      return new CliError('gateway', `it does not know you: ${plainDetails(details)}`, 'see clawrden doctor');
    case status.PERMISSION_DENIED:
      return new CliError(what, details, refused);
    case status.NOT_FOUND:
      return new CliError(what, details, 'give the whole id');
    case status.DATA_LOSS:
      return new CliError(what, details, "make room on the gateway's disk, and do it again");
    case status.INTERNAL:
    case status.UNKNOWN:
      return new CliError(what, details, "see whether it was done, and the gateway's log");
    default:
      return new CliError(what, details, 'nothing was done');
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error;
}
