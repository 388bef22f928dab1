import type { Identity } from '../command.ts';
import type { SshFiles } from '../ssh/ssh-arguments.ts';

/** gateway.yaml as the gateway uses it: checked, defaults filled in, every path absolute. */
export interface GatewayConfig {
  /** Absolute path of the file itself. */
  readonly file: string;
  readonly grpc: { readonly listen: ListenAddress };
  readonly enroll: { readonly listen: ListenAddress };
  readonly http: { readonly listen: ListenAddress };
  /** Folder. */
  readonly state: string;
  readonly policy: string;
  readonly audit: string;
  readonly limits: GatewayLimits;
  readonly warm: readonly WarmConfig[];
  readonly hosts: readonly HostConfig[];
  readonly agents: readonly AgentConfig[];
}

export interface ListenAddress {
  /** A name or an address, IPv6 without its brackets. */
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

export interface GatewayLimits {
  /** Executions running at once, over all agents. */
  readonly running: number;
  readonly queued: number;
  /** Approvals waiting at once. */
  readonly pendingPerAgent: number;
  /** Executions that have not ended. */
  readonly executionsPerAgent: number;
  /** Requests of one agent each second; twice as many at once. */
  readonly requestsPerSecond: number;
  /** Bytes of those requests each second; twice as many at once. */
  readonly bytesPerSecond: number;
  /** Connections of all peers at once. */
  readonly connections: number;
  /** Connections at once from one address, and of one relay's or operator's name. */
  readonly connectionsPerAddress: number;
  readonly queueTimeoutMs: number;
  readonly startTimeoutMs: number;
  /** How long the database keeps an execution after its end. */
  readonly historyMs: number;
  readonly historyBytes: number;
}

/** The gateway keeps `size` ghosts of `tool` started for `agent`. */
export interface WarmConfig {
  readonly agent: string;
  readonly tool: string;
  readonly size: number;
}

export interface HostConfig {
  readonly name: string;
  /** `unix:///path`, `tcp://host:port` (then with `tls`) or `ssh://[user@]host[:port][/path]`. */
  readonly engine: string;
  /** Paths of PEM files. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** For `ssh://` only. */
  readonly ssh?: SshFiles;
  readonly labels: Labels;
  /** Ghosts running at once. */
  readonly slots: number;
  /** Most ghosts that wait at once. */
  readonly warm: number;
  /** Containers being started at once. */
  readonly starts: number;
  /** Sum of the limits of all ghosts that run at once; absent: no bound. */
  readonly memoryBytes?: number;
  readonly cpus?: number;
}

export interface AgentConfig {
  readonly name: string;
  /** The only relay that may speak for this agent. */
  readonly relay: string;
  /** At least one, never uid 0. The first serves `exec` and warm ghosts. */
  readonly users: readonly [Identity, ...Identity[]];
  readonly labels: Labels;
  /** Where `exec` starts if its caller names no directory. */
  readonly cwd: string;
  readonly workspace?: { readonly kind: 'volume' | 'bind'; readonly source: string };
  /** A host qualifies if it has all of these labels. If there are no labels, every host qualifies. */
  readonly hosts: Labels;
}

export type Labels = Readonly<Record<string, string>>;
