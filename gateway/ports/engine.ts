import type { InitSession } from '../../src/init-client/init-session.ts';
import type { PlanImage, PlanMount } from '../../src/plan.ts';

/**
 * What the gateway needs from one Docker engine; `docker/` is the only implementation. Every call has its own
 * deadline.
 */
export interface Engine {
  /**
   * The same shape with the folders that its workspace has on this engine, which is started from then on. A copy may be
   * looked at first: that may take minutes, so it is called before the start has a turn. Absent if every shape is as it is.
   */
  readonly placed?: (shape: GhostShape, signal: AbortSignal) => GhostShape | Promise<GhostShape>;
  /**
   * Creates and starts a container whose init is ready for a plan of this shape. Throws ClawrdenErrors:
   * `image-missing`, `workspace-missing`, `no-host`, `host-lost` if the engine does not answer, or the signal's
   * reason, at most 2 s after it aborts. If it throws, no container is left; on an engine that is too slow for that,
   * the removal continues in the background.
   */
  readonly startGhost: (shape: GhostShape, purpose: GhostPurpose, signal: AbortSignal) => Promise<Ghost>;
  /** Facts of a local image by reference or id, `undefined` if the engine does not have it. Never pulls. */
  readonly inspectImage: (reference: string) => Promise<ImageFacts | undefined>;
  /**
   * Pulls an image and reports the percentage; asks for no credentials. Rejects with `image-missing` if the engine
   * cannot get it, with `host-lost`, or with the signal's reason.
   */
  readonly pullImage: (
    reference: string,
    onProgress: (percent: number) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /**
   * Rejects if the engine does not answer within 3 s, or may not be used as a host (`host-userns`, `host-limits`,
   * `host-processor`).
   */
  readonly ping: () => Promise<void>;
  /**
   * Removes every container with this gateway's id that is neither in `keep`, nor starting, nor the carrier of an open
   * replica; returns how many. Rejects if some are left: when 20 s are over or `signal` aborts, it removes no more.
   */
  readonly removeStrays: (keep: ReadonlySet<string>, signal: AbortSignal) => Promise<number>;
  /**
   * Reports events of the engine until `signal` aborts, then resolves; with `until` (epoch seconds by the engine's
   * clock) when it has reported all events before. Rejects if the stream breaks or cannot be opened.
   */
  readonly watch: (options: WatchOptions, signal: AbortSignal) => Promise<void>;
  /** Its host is in the pool from now on. An engine may be opened only to see whether it can be: nothing else uses it before. */
  readonly joined?: () => void;
  /** Ends idle connections; running calls continue to their end. */
  readonly close: () => void;
}

export interface WatchOptions {
  /** Epoch seconds by the engine's clock; absent: from now. An engine remembers its last 256 events. */
  readonly since?: number;
  readonly until?: number;
  /** The stream is open: from `now` (the engine's clock, epoch seconds) on, no event is missed. */
  readonly onOpen?: (now: number) => void;
  readonly onEvent: (event: EngineEvent) => void;
}

/** `at` is in epoch seconds by the engine's clock. Only containers with this gateway's id are reported. */
export type EngineEvent =
  | {
      readonly type: 'container-ended';
      readonly containerId: string;
      /** 0 to 255; undefined if the engine says nothing of that kind. */
      readonly exitCode: number | undefined;
      readonly at: number;
    }
  | { readonly type: 'images-changed' | 'volumes-changed'; readonly at: number };

export interface GhostPurpose {
  /** Started ahead, for any command of its shape: its label `clawrden.pool` is the hash of its create body. */
  readonly pooled: boolean;
  /** The longest run of a command in it, in milliseconds; 0 means no limit. */
  readonly timeoutMs: number;
  /** Names the container `clawrden-<execution id>` from the start; absent if `claim` will name it. */
  readonly executionId?: string;
  /** It serves commands by `execInit` until it is destroyed, and none by its own init. */
  readonly session?: true;
}

/** A container made for one execution and never used again; or that of a session. */
export interface Ghost extends Pick<GhostShape, 'inReplica'> {
  readonly containerId: string;
  readonly session: InitSession;
  /** Of a session: one more init in it, for one command. Throws like `startGhost`. */
  readonly execInit: (signal: AbortSignal) => Promise<InitSession>;
  /** What its processes have used of processors so far, in milliseconds. Rejects if the engine does not say. */
  readonly processorMs: () => Promise<number>;
  /**
   * Renames the container to `clawrden-<execution id>`, if the engine can; only the container's own end waits for it.
   * Only for a container that was not named when it was made.
   */
  readonly claim: (executionId: string) => void;
  /**
   * The ghost's work is done, and its init knows or will know: the container removes itself. If it is still there 5 s
   * later, it is removed by force. Resolves when it is gone or the engine is lost.
   */
  readonly release: () => Promise<void>;
  /** Kills and removes the container at once, in any state. Resolves like above; false if it may still be there. */
  readonly destroy: () => Promise<boolean>;
}

export interface ImageFacts {
  /** `sha256:` and 64 hex digits. */
  readonly id: string;
  /** `NAME=value`. */
  readonly env: readonly string[];
  /** SHA-256 of `env`. */
  readonly envHash: string;
  /** Paths that the image declares as VOLUME. */
  readonly volumes: readonly string[];
}

/** The part of a plan that decides how its container is made; the init gets the rest when the command comes. */
export interface GhostShape {
  readonly agent: string;
  readonly image: PlanImage;
  readonly uid: number;
  readonly gid: number;
  readonly mounts: readonly PlanMount[];
  /**
   * How its agent's workspace is followed (`followingOf`), which says what is mounted on each host. Absent: it is not, or
   * it is not mounted.
   */
  readonly following?: string;
  /** Once it is placed: the replica that is mounted for the workspace. Absent: what the plan says is mounted. */
  readonly inReplica?: object;
  /** A Docker network's name, or `none`. */
  readonly network: string;
  /** 0 means no limit, as in the plan. */
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
}
