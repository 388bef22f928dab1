import type { Identity } from '../../src/command.ts';
import type { HomeWorkspace } from '../../src/config/gateway-config.ts';

/** What a relay reports about itself. */
export interface RelayReport {
  readonly version: string;
  /** What it needs of a gateway; 0 if it is of before that was told. */
  readonly contract: number;
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
  /** What its own authorities should come to, as `trustPrint` says it; absent if it does not matter. */
  readonly authority?: string;
  /** The gateway takes no new command from it any more. */
  readonly leaving?: boolean;
  readonly agents: readonly {
    readonly name: string;
    readonly tools: readonly string[];
    readonly paused: boolean;
    readonly killed: boolean;
    /** Ids that the relay accepts. */
    readonly users: readonly Identity[];
    /** Of which the relay keeps the home. */
    readonly workspace?: HomeWorkspace;
    /** The agent has a way out of its own: variables of its clients. */
    readonly wayOut?: { readonly environment: readonly string[] };
  }[];
}

/** Where an identity is used from. */
export interface RelayAddress {
  /** `ADDRESS:PORT` of the TCP connection. */
  readonly peer: string;
  /** SHA-256 of its certificate, base64url. */
  readonly fingerprint: string;
  /** Of its certificate, hexadecimal. */
  readonly serial: string;
}

/** One Synchronize stream of a relay, the only one of its connection. */
export interface RelayConnection extends RelayAddress {
  /** Fingerprint of the certificate that `Renew` has given over this connection. */
  readonly renewedTo: () => string | undefined;
  readonly push: (state: RelayState) => void;
  /** Another connection has replaced it: the stream must end at once, and soon everything else of its connection. */
  readonly displaced: (why: string) => void;
  /** The same relay goes on over the connection of its new certificate, until `over` aborts: calls here go on. */
  readonly handOver: (over: AbortSignal) => void;
}

/** The relays that are connected now. */
export interface RelayRegistry {
  /**
   * A relay's Synchronize stream is open until `signal` aborts. `push` is called at once, and whenever the wanted
   * state changes; the returned function takes each report. A second stream of the same relay displaces the first,
   * unless it is by the certificate that was given over the first one's connection.
   */
  readonly connect: (
    relay: string,
    connection: RelayConnection,
    signal: AbortSignal,
  ) => (report: RelayReport) => void;
  /** Whether a stream of the relay is open that one by this certificate would displace. */
  readonly isElsewhere: (relay: string, fingerprint: string) => boolean;
  /** The relay's identity is used over a connection that does not synchronize. */
  readonly adrift: (relay: string, address: RelayAddress) => void;
  /** A relay has given a reason that no relay of ours has. */
  readonly impossible: (relay: string, text: string) => void;
}
