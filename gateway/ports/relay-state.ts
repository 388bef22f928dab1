/** What a relay reports about itself. */
export interface RelayReport {
  readonly version: string;
  readonly agents: readonly {
    readonly name: string;
    readonly containerRunning: boolean;
    readonly tools: readonly string[];
    readonly problem: string;
    /** No command of ours runs for it, and its container is paused or gone, as requested. */
    readonly halted: boolean;
  }[];
}

/** The state that the gateway wants of a relay. */
export interface RelayState {
  readonly lockdown: boolean;
  readonly agents: readonly {
    readonly name: string;
    readonly tools: readonly string[];
    readonly paused: boolean;
    readonly killed: boolean;
  }[];
}

/** One Synchronize stream of a relay. */
export interface RelayConnection {
  /** `ADDRESS:PORT` of the TCP connection. */
  readonly peer: string;
  /** SHA-256 of its certificate, base64url. */
  readonly fingerprint: string;
  readonly push: (state: RelayState) => void;
  /** Another stream of the same relay has replaced it: it must end at once. */
  readonly displaced: (why: string) => void;
}

/** The relays that are connected now. */
export interface RelayRegistry {
  /**
   * A relay's Synchronize stream is open until `signal` aborts. `push` is called at once, and whenever the wanted
   * state changes; the returned function takes each report. A second stream of the same relay displaces the first.
   */
  readonly connect: (
    relay: string,
    connection: RelayConnection,
    signal: AbortSignal,
  ) => (report: RelayReport) => void;
}
