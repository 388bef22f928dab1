import type { Principal } from './principal.ts';

/** Why changes of a workspace were kept and not applied, or what they made room for. */
export type KeptWhy =
  /** Both sides changed it. */
  | 'conflict'
  /** No command waited for them any more. */
  | 'late'
  /** A person put another version in its place. */
  | 'replaced';

/** Changes that one exchange kept beside home. */
export interface KeptSet {
  readonly agent: string;
  /** Empty if a person replaced something at home. */
  readonly host: string;
  /** The command that met them; empty if a person did. */
  readonly execution: string;
  readonly why: KeptWhy;
  /** What there was; `files` has up to a thousand of them. */
  readonly count: number;
  readonly files: readonly KeptPath[];
}

export interface KeptPath {
  /** Relative to the workspace; any bytes. */
  readonly path: Buffer;
  /** Whose version is kept. */
  readonly whose: 'agent' | 'tool';
  /** Where it is, in the folder `kept` of home's carrier; empty if it was not kept. */
  readonly kept: string;
}

/** One file of a set, as it is listed. */
export interface KeptFileRow extends Omit<KeptSet, 'files'>, KeptPath {
  readonly id: string;
  /** Its place in the set. */
  readonly number: number;
  readonly at: number;
  /** Where the list continues behind it. */
  readonly place: readonly [set: number, number: number];
}

export interface KeptFilter {
  readonly agent: string;
  /** Empty: of all sets. */
  readonly id: string;
  readonly behind?: readonly [set: number, number: number];
  readonly limit: number;
}

/** A workspace at home, as its carrier says. */
export interface HomeView {
  readonly entries: number;
  readonly bytes: number;
  readonly full: boolean;
  readonly scans: boolean;
  readonly suspect: boolean;
  readonly lost: boolean;
  readonly unconfined: boolean;
  readonly skippedCount: number;
  readonly skipped: readonly { readonly path: Buffer; readonly why: string }[];
}

export interface ReplicaView {
  readonly host: string;
  /** Its carrier runs. */
  readonly running: boolean;
  /** Empty, or why something of it is not known. */
  readonly problem: string;
  readonly entries: number;
  readonly bytes: number;
  /** That work in it now. */
  readonly commands: number;
  /** Absent if this gateway has not used it. */
  readonly usedAt?: number;
  /** Absent if one of both carriers was not asked. */
  readonly position?: 'current' | 'behind' | 'unknown';
  /** Versions of home that it has not. */
  readonly behind: number;
  /** Entries that home has not. */
  readonly unsent: number;
}

export interface WorkspaceView {
  readonly home: HomeView | { readonly problem: string };
  /** By host. */
  readonly replicas: readonly ReplicaView[];
}

/** Why something was not done. The text says what to do. */
export interface WorkspaceRefusal {
  readonly refused: 'unknown' | 'not-now';
  readonly text: string;
}

/** A person's wish, for the record. */
export interface AskedBy {
  readonly by: Principal;
  readonly reason: string;
}

export interface ResetWish extends AskedBy {
  readonly host: string;
  /** Commands that work in the replica end. */
  readonly force: boolean;
  /** What only the replica has is lost. */
  readonly discard: boolean;
}

/** What people see and do about workspaces that follow their agents. */
export interface WorkspaceOperations {
  readonly view: (agent: string) => Promise<WorkspaceView | WorkspaceRefusal>;
  readonly keptFiles: (filter: KeptFilter) => Promise<KeptFileRow[]>;
  /** Resolves with the set that keeps what was replaced; empty if nothing was. */
  readonly restore: (
    agent: string,
    set: string,
    number: number,
    by: AskedBy,
  ) => Promise<{ readonly replaced: string } | WorkspaceRefusal>;
  /** Resolves with what home has now, and the hosts whose replicas did not take it. */
  readonly trust: (
    agent: string,
    by: AskedBy,
  ) => Promise<{ readonly entries: number; readonly left: readonly HostProblem[] } | WorkspaceRefusal>;
  /** Resolves with the set that keeps what only the replica had; empty if it had nothing. */
  readonly reset: (
    agent: string,
    wish: ResetWish,
  ) => Promise<{ readonly kept: string; readonly count: number } | WorkspaceRefusal>;
  /** Why followed agents do not use the host now; empty if they do. */
  readonly leftOut: (host: string) => string;
  /** They use it again. */
  readonly tryAgain: (host: string) => void;
  /** Of the files in all replicas on a host that this gateway has opened. */
  readonly bytesOn: (host: string) => number;
}

export interface HostProblem {
  readonly host: string;
  readonly problem: string;
}
