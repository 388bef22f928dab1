import type { Identity } from '../command.ts';
import type { Endpoint } from '../egress/endpoint.ts';
import type { Route } from '../egress/route.ts';
import type { SshFiles } from '../ssh/ssh-arguments.ts';
import type { TracesConfig } from '../traces/open-traces.ts';
import type { NotifyConfig } from './notify-config.ts';
import type { OidcConfig } from './oidc-config.ts';
import type { SecretSource } from './secret-source.ts';

/** gateway.yaml as the gateway uses it: checked, defaults filled in, every path absolute. */
export interface GatewayConfig {
  /** Absolute path of the file itself. */
  readonly file: string;
  /** `tls`: what it and the enrolment listener show instead of the gateway's own server certificate. */
  readonly grpc: { readonly listen: ListenAddress; readonly tls?: ServerFiles };
  readonly enroll: { readonly listen: ListenAddress };
  readonly http: HttpConfig;
  /** Folder. */
  readonly state: string;
  readonly policy: string;
  /** Folder; absent: there are no tool files. */
  readonly toolFiles?: string;
  readonly audit: string;
  readonly limits: GatewayLimits;
  readonly warm: readonly WarmConfig[];
  readonly session: SessionConfig;
  readonly notify: NotifyConfig;
  /** By which people sign in, besides those whom an admin adds. */
  readonly oidc?: OidcConfig;
  readonly secrets: ReadonlyMap<string, SecretSource>;
  readonly routes: readonly Route[];
  /** `proxy`: what connects to everything instead of the gateway. */
  readonly egress: { readonly proxy?: Endpoint | undefined };
  /** Absent: nobody is told of traces. */
  readonly traces?: TracesConfig;
  /** The file says that it is whole, in its last line. */
  readonly complete: boolean;
  readonly hosts: readonly HostConfig[];
  readonly agents: readonly AgentConfig[];
}

export interface ListenAddress {
  /** A name or an address, IPv6 without its brackets. */
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

/** Paths of PEM files: a server's certificate, then those between it and its authority; and its key. */
export interface ServerFiles {
  readonly cert: string;
  readonly key: string;
}

export interface HttpConfig {
  readonly listen: ListenAddress;
  /** Of metrics without sign-in; on loopback. */
  readonly metricsListen?: ListenAddress;
  /** Where its users reach it, as an origin; needed behind a proxy. */
  readonly url?: string;
  readonly tls?: ServerFiles;
  /** If not empty, only these may connect, and they say for whom. */
  readonly trustProxy: readonly NetworkAddress[];
}

export interface NetworkAddress {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
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
  /** Connections at once from one address, and of one relay's or person's name. */
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

/** How long sessions are kept. */
export interface SessionConfig {
  /** Without a command, and without a process that uses a processor. */
  readonly idleMs: number;
  readonly maxAgeMs: number;
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
  readonly workspace?: WorkspaceConfig;
  /** A host qualifies if it has all of these labels. If there are no labels, every host qualifies. */
  readonly hosts: Labels;
  /** Of the policy, by name: what the agent itself may reach; absent: nothing. */
  readonly network?: string | undefined;
}

/** The home of an agent's workspace. */
export interface WorkspaceConfig {
  readonly kind: 'volume' | 'bind';
  /** The volume's name, or a path. */
  readonly source: string;
  /** Absent: every host that the agent may use sees it by itself. */
  readonly sync?: SyncConfig;
}

export interface SyncConfig {
  /** A host that has all of these labels sees it by itself. If there are no labels, no host does. */
  readonly seenBy: Labels;
  /** What the replicas on one host may take together. */
  readonly hostBytes: number;
  readonly carried: CarriedConfig;
}

/** What is carried of a workspace, and how. */
export interface CarriedConfig {
  /** A name, anywhere in the tree, or a path from its root. */
  readonly excludes: readonly string[];
  /** Whose file stays if both sides changed one. */
  readonly conflicts: 'keep-agent' | 'keep-tool';
  readonly limits: CarriedLimits;
}

export interface CarriedLimits {
  readonly entries: number;
  /** Of all files together. */
  readonly bytes: number;
  /** Bytes of one file. */
  readonly file: number;
  /** Folders in each other. */
  readonly depth: number;
}

/** What a relay knows of a workspace of which it keeps the home. */
export interface HomeWorkspace extends CarriedConfig {
  readonly kind: 'volume' | 'bind';
  readonly source: string;
  /** Where the agent and every ghost have it. */
  readonly target: string;
}

export type Labels = Readonly<Record<string, string>>;
