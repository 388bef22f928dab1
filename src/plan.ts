import { createHash } from 'node:crypto';
import type { Reach } from './egress/reach.ts';

/** How a tool of a policy runs. `fetch`: the gateway gets a page by itself. */
export type ToolStrategy = 'ghost' | 'mirror' | 'passthrough' | 'fetch';

/** `help`: the gateway answers by itself. */
export type Strategy = ToolStrategy | 'help';

export interface PlanImage {
  /** As the policy names it. */
  readonly reference: string;
  /** The content id to which the gateway resolved it: a ghost runs this id on every host. */
  readonly id: string;
  /**
   * The SHA-256 of the environment that the image has by what one host says: the plan's own is made of it, so it runs
   * only on hosts that say the same. Absent: an earlier version made the plan.
   */
  readonly envHash?: string;
}

export interface PlanMount {
  readonly kind: 'bind' | 'volume';
  /** Host path or volume name. */
  readonly source: string;
  readonly target: string;
  /** Absent: the tool may write there. */
  readonly readOnly?: true;
}

/** A secret of gateway.yaml, and as what a tool is given it. */
export interface PlanSecret {
  /** The name of a variable, or a path below /run/secrets. */
  readonly as: string;
  readonly secret: string;
}

/** What the strategy enforces; 0 means no limit. */
export interface PlanLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly outputBytes: number;
  /** RLIMIT_FSIZE. */
  readonly fileBytes: number;
}

/**
 * A file that the command runs besides its tool, as its arguments name it; or something that it runs and that nobody can
 * inspect.
 */
export type ScriptOperand = { readonly path: string } | { readonly notInspected: string };

/**
 * A file that the command will run besides its tool, as it was found; or something that it runs and that nobody could
 * inspect.
 */
export type Operand =
  | {
      /** As the command names it. */
      readonly path: string;
      /** SHA-256 of its bytes, in hex. */
      readonly digest: string;
      /** Its real path, with all links resolved. */
      readonly file: string;
      /** Why nobody could keep it from being changed while the command ran; absent if it was held. */
      readonly notHeld?: string;
    }
  /** Without a path the file cannot be found again. */
  | { readonly path?: string; readonly notInspected: string };

/**
 * The one object that is hashed, shown, approved and run. The gateway makes it once; the executor takes nothing from
 * anywhere else.
 */
export interface Plan {
  readonly agent: string;
  readonly argv: readonly string[];
  /**
   * The whole environment of a ghost. For mirror: the variables that replace those of the container. Sorted by name.
   * Empty for passthrough, which has the agent's own.
   */
  readonly env: readonly string[];
  readonly cwd: string;
  /** The directory that must contain cwd after links are resolved; empty if the agent has no workspace. */
  readonly workspace: string;
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
  readonly strategy: Strategy;
  /** Ghost only. */
  readonly image?: PlanImage;
  /** In a container that the agent's commands of this kind share. Absent: in one of its own. */
  readonly isolation?: 'session';
  readonly mounts: readonly PlanMount[];
  /** A Docker network's name, or `none`; `public`: every public server, of a fetch that no network narrows. */
  readonly network: string;
  /** What it may reach by name. Absent: nothing by name. */
  readonly reach?: Reach;
  /** Secrets that the tool is given, by name and never by value; sorted by `as`. Absent: none. */
  readonly secrets?: readonly PlanSecret[];
  /** Its agent gets its output with its secrets in it. Absent: they are masked. */
  readonly unmasked?: true;
  readonly limits: PlanLimits;
  readonly stdin: 'pipe' | 'none';
  /** Milliseconds; 0 means none. */
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Absent: the gateway keeps nothing of its output. */
  readonly record?: 'head-tail' | 'full';
  /** So often changes of the workspace go both ways while it runs elsewhere, in milliseconds; absent: not. */
  readonly liveMs?: number;
  readonly policyHash: string;
  /** What the command runs besides its tool. Absent if that is nothing, and if `operands` says what was found. */
  readonly scripts?: readonly ScriptOperand[];
  /** Only in a plan that a person is asked about, instead of `scripts`: what must be found again immediately before it runs. */
  readonly operands?: readonly Operand[];
}

/** JSON with sorted keys and no optional field left undefined, so that each plan has exactly one text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/**
 * The hash of what a plan does, whatever policy made it: what was said of one counts for the other. It has the image's
 * environment in its own.
 */
export function deedHash({ image, ...plan }: Plan): string {
  const same = image && { reference: image.reference, id: image.id };
  return planHash(canonicalJson({ ...plan, ...(same && { image: same }), policyHash: '' }));
}

export function planHash(canonical: string): string {
  return createHash('sha256').update(canonical).digest('hex');
}
