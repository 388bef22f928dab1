import type { Identity } from '../command.ts';

/** relay.yaml as the relay uses it: checked, defaults filled in, every path absolute. */
export interface RelayConfig {
  /** Absolute path of the file itself. */
  readonly file: string;
  /** `HOST:PORT`. */
  readonly gateway: string;
  /** The folder that `relay enroll` wrote. */
  readonly identity: string;
  /** The engine of this agent host, `unix:///path`. */
  readonly docker: string;
  /** Folder. */
  readonly state: string;
  readonly agents: readonly RelayAgentConfig[];
}

export interface RelayAgentConfig {
  readonly name: string;
  /** Path of this agent's `warden.sock`; no two agents share its directory. */
  readonly socket: string;
  /** Name of the agent's container. */
  readonly container: string;
  /** Kernel-attested ids that are accepted; at least one, never uid 0. */
  readonly users: readonly [Identity, ...Identity[]];
}
