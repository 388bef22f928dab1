import { createHash } from 'node:crypto';

export type Strategy = 'ghost' | 'mirror' | 'passthrough';

export interface PlanImage {
  /** As the policy names it. */
  readonly reference: string;
  /** The content's id that was resolved for it: what runs has this id on every host. */
  readonly id: string;
}

export interface PlanMount {
  readonly kind: 'bind' | 'volume';
  /** Host path or volume name. */
  readonly source: string;
  readonly target: string;
}

/** 0 means no limit, except where said. */
export interface PlanLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly outputBytes: number;
  /** RLIMIT_FSIZE. */
  readonly fileBytes: number;
}

/** A file that the command will run besides its tool, as it was found; or what it runs that no one could look at. */
export type Operand =
  | {
      /** As the command names it. */
      readonly path: string;
      /** SHA-256 of its bytes, in hex. */
      readonly digest: string;
      /** Where it really is, its links resolved. */
      readonly file: string;
      /** Why nobody kept it from being changed while the command ran; absent where it was held. */
      readonly notHeld?: string;
    }
  /** Without a path it is no file that could be found again. */
  | { readonly path?: string; readonly notInspected: string };

/**
 * The one object that is hashed, shown, approved and run. Made once by the gateway; whoever runs it takes nothing
 * from anywhere else.
 */
export interface Plan {
  readonly agent: string;
  readonly argv: readonly string[];
  /** The whole environment of a ghost; for mirror what goes over the container's own PATH and HOME. Sorted by name. */
  readonly env: readonly string[];
  readonly cwd: string;
  /** The directory that cwd must lie in after links are resolved; empty where the agent has no workspace. */
  readonly workspace: string;
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
  readonly strategy: Strategy;
  /** Ghost only. */
  readonly image?: PlanImage;
  readonly mounts: readonly PlanMount[];
  /** A Docker network's name, or `none`. */
  readonly network: string;
  readonly limits: PlanLimits;
  readonly stdin: 'pipe' | 'none';
  /** Milliseconds; 0 means none. */
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Absent: nothing of its output is kept. */
  readonly record?: 'head-tail';
  readonly policyHash: string;
  /** Only in a plan that a person is asked about: what must be found again right before it runs. */
  readonly operands?: readonly Operand[];
}

/** JSON with keys in order and nothing optional left undefined: one text per plan, whoever writes it. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

export function planHash(canonical: string): string {
  return createHash('sha256').update(canonical).digest('hex');
}
