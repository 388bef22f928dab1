import type { InitSession } from '../../src/init-client/init-session.ts';
import type { PlanImage, PlanMount } from '../../src/plan.ts';

/** What the gateway asks of one Docker engine; `docker/` is the only implementation. Every call has its own deadline. */
export interface Engine {
  /**
   * Creates and starts a container whose init is ready for a plan of this shape. Throws ClawrdenErrors: `image-missing`,
   * `workspace-missing`, `no-host`, `host-lost` where the engine does not answer, or the signal's reason, at the
   * latest 2 s after it aborts. Where it throws, no container is left; on an engine too slow for that, its removal
   * goes on behind.
   */
  readonly startGhost: (shape: GhostShape, purpose: GhostPurpose, signal: AbortSignal) => Promise<Ghost>;
  /** Facts of a local image by reference or id, `undefined` where the engine has none. Never pulls. */
  readonly inspectImage: (reference: string) => Promise<ImageFacts | undefined>;
  /**
   * Pulls an image, telling the per cent of it that is there; asks for no credentials. Rejects with `image-missing`
   * where the engine cannot have it, `host-lost`, or the signal's reason.
   */
  readonly pullImage: (
    reference: string,
    onProgress: (percent: number) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Rejects where the engine does not answer within 3 s, or may not be used as a host (`host-userns`). */
  readonly ping: () => Promise<void>;
  /** Removes every container of this gateway's id that is neither in `keep` nor starting; returns how many. */
  readonly removeStrays: (keep: ReadonlySet<string>) => Promise<number>;
  /**
   * Tells what happens on the engine until `signal` aborts, then resolves; with `until` (epoch seconds by the engine's
   * clock) when it has told what happened before. Rejects where the stream breaks or cannot be opened.
   */
  readonly watch: (options: WatchOptions, signal: AbortSignal) => Promise<void>;
  /** Ends idle connections; calls that run go on to their end. */
  readonly close: () => void;
}

export interface WatchOptions {
  /** Epoch seconds by the engine's clock; absent: from now. An engine remembers its last 256 events. */
  readonly since?: number;
  readonly until?: number;
  /** The stream is open: from `now` (the engine's clock, epoch seconds) nothing is missed. */
  readonly onOpen?: (now: number) => void;
  readonly onEvent: (event: EngineEvent) => void;
}

/** `at` is in epoch seconds, by the engine's clock. Containers are those of this gateway's id. */
export type EngineEvent =
  | {
      readonly type: 'container-ended';
      readonly containerId: string;
      readonly exitCode: number;
      readonly at: number;
    }
  | { readonly type: 'images-changed' | 'volumes-changed'; readonly at: number };

export interface GhostPurpose {
  /** Started ahead, for whoever comes: its label `clawrden.pool` is the hash of its create body. */
  readonly pooled: boolean;
  /** The longest that a command in it may run, in milliseconds; 0 means for ever. */
  readonly timeoutMs: number;
  /** Names the container `clawrden-<execution id>` from the start; absent for one that `claim` will name. */
  readonly executionId?: string;
}

/** A container made for one execution and never used again. */
export interface Ghost {
  readonly containerId: string;
  readonly session: InitSession;
  /**
   * Renames the container to `clawrden-<execution id>`; best effort, nobody waits for it but the container's own end.
   * Only for one that was not named when it was made.
   */
  readonly claim: (executionId: string) => void;
  /**
   * Nothing more is wanted of it, and its init knows or will: the container removes itself. Taken away by force where
   * it is still there 5 s later; resolves when it is gone or the engine is lost.
   */
  readonly leave: () => Promise<void>;
  /** Kills and removes the container at once, however far it got; resolves as above, false where it may be there yet. */
  readonly destroy: () => Promise<boolean>;
}

export interface ImageFacts {
  readonly id: string;
  readonly repoDigests: readonly string[];
  /** `NAME=value`. */
  readonly env: readonly string[];
  /** Paths that the image declares as VOLUME. */
  readonly volumes: readonly string[];
}

/** What of a plan decides how its container is made; everything else is told to the init when the command comes. */
export interface GhostShape {
  readonly agent: string;
  readonly image: PlanImage;
  readonly uid: number;
  readonly gid: number;
  readonly mounts: readonly PlanMount[];
  /** A Docker network's name, or `none`. */
  readonly network: string;
  /** 0 means no limit, as in the plan. */
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
}
