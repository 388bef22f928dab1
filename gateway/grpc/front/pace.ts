/** Deadlines for a peer, in milliseconds. */
export interface Pace {
  /** From a connection's start to the end of its TLS handshake. */
  readonly handshakeMs: number;
  /** From the handshake to its first call. */
  readonly firstCallMs: number;
  /** From a call's start to its first message. */
  readonly firstMessageMs: number;
  /** From a relay's handshake to its Synchronize; its other calls wait for that half as long. */
  readonly synchronizeMs: number;
  /** Longest time without a call. */
  readonly idleMs: number;
  /** Longest life of a connection; if absent, as long as its certificate counts. */
  readonly lifeMs?: number;
  /** Both sides ping, so a frozen peer is noticed within the sum of the two; without pings never. */
  readonly pingMs: number;
  readonly pongMs: number;
}

/** A relay keeps a call open; orchestrators and people connect again when they call. */
export const callersPace: Pace = {
  handshakeMs: 5_000,
  firstCallMs: 10_000,
  firstMessageMs: 10_000,
  synchronizeMs: 10_000,
  idleMs: 30_000,
  pingMs: 8_000,
  pongMs: 5_000,
};

/** Any machine may connect here, but only for as long as enrolment takes. */
export const enrolmentPace: Pace = {
  ...callersPace,
  firstCallMs: 5_000,
  firstMessageMs: 5_000,
  idleMs: 5_000,
  lifeMs: 20_000,
};
