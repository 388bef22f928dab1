/** `denied`: it may not be reached. `unreachable`: it does not answer, or not as it should. `late`: not in time. */
export type EgressFault = 'denied' | 'unreachable' | 'late';

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
