export interface CallOptions {
  /** Ends the call; a command that runs for it is canceled. */
  readonly signal?: AbortSignal;
}
