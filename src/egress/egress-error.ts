/**
 * `denied`: it may not be reached. `invalid`: nobody can say what is wanted. `unreachable`: it does not answer, or not as
 * it should. `late`: not in time. `limit`: too many connections, or too many bytes.
 */
export type EgressFault = 'denied' | 'invalid' | 'unreachable' | 'late' | 'limit';

/** Why there is no connection. */
export class EgressError extends Error {
  override name = 'EgressError';
  readonly fault: EgressFault;
  /** For the record only: it may say what is inside of a network. */
  readonly detail: string;

  /** `message`: for the one who wanted the connection; nothing in it that only we know. */
  constructor(fault: EgressFault, message: string, detail = '') {
    super(message);
    this.fault = fault;
    this.detail = detail;
  }
}

/** What the destination does in place of an answer. */
export function noAnswerFrom(does: string): EgressError {
  return new EgressError('unreachable', `the destination ${does}`);
}
