import type { InitSession } from '../src/init-client/init-session.ts';
import type { Plan } from '../src/plan.ts';

/** What the gateway asks of one Docker engine; `docker/` is the only implementation. Every call has its own deadline. */
export interface Engine {
  /**
   * Creates and starts a container whose init is ready for `plan`. Throws ClawrdenErrors: `image-missing`,
   * `workspace-missing`, `no-host`, `host-lost` where the engine does not answer, or the signal's reason, at the
   * latest 2 s after it aborts. Where it throws, no container is left; on an engine too slow for that, its removal
   * goes on behind.
   */
  readonly startGhost: (plan: Plan, labels: GhostLabels, signal: AbortSignal) => Promise<Ghost>;
  /** Facts of a local image by reference or id, `undefined` where the engine has none. Never pulls. */
  readonly inspectImage: (reference: string) => Promise<ImageFacts | undefined>;
  /** Rejects where the engine does not answer within 3 s, or may not be used as a host (`host-userns`). */
  readonly ping: () => Promise<void>;
  /** Removes every container of this gateway's id that is neither in `keep` nor starting; returns how many. */
  readonly removeStrays: (keep: ReadonlySet<string>) => Promise<number>;
}

export interface GhostLabels {
  readonly agent: string;
  /** Empty for a cold ghost; the pool's key for one started ahead. */
  readonly pool: string;
}

/** A container made for one execution and never used again. */
export interface Ghost {
  readonly containerId: string;
  readonly session: InitSession;
  /** Renames the container to `clawrden-<execution id>`; best effort, nobody waits for it. */
  readonly claim: (executionId: string) => void;
  /** Kills and removes the container, however far it got; resolves when it is gone or the engine is lost. */
  readonly destroy: () => Promise<void>;
}

export interface ImageFacts {
  readonly id: string;
  readonly repoDigests: readonly string[];
  /** `NAME=value`. */
  readonly env: readonly string[];
  /** Paths that the image declares as VOLUME. */
  readonly volumes: readonly string[];
}
