import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import type { CarrierLimits } from '../../src/carrier-client/hello.ts';

/** Whose workspace a replica follows, and what it may hold. */
export interface ReplicaWish {
  readonly agent: string;
  readonly limits: CarrierLimits;
  /** Names, and paths from the root, that are not carried. */
  readonly excludes: readonly string[];
}

/** A replica on one engine, with a carrier that is ready. */
export interface Replica {
  readonly containerId: string;
  readonly session: CarrierSession;
  /** False once its stream has ended: open it again. */
  readonly alive: () => boolean;
  /** What the carrier found when it started. */
  readonly found: CarrierState;
  /** Where the engine's host keeps the tree: the folder that ghosts mount. */
  readonly folder: string;
  /**
   * Lets the carrier write what it knows and end; its container removes itself, and the tree stays. If the container
   * is still there 5 s later, it is removed by force. Resolves when it is gone or the engine is lost.
   */
  readonly end: () => Promise<void>;
}

/** Replicas on one engine; `docker/` is the only implementation. Every call has its own deadline. */
export interface ReplicaHost {
  /**
   * Starts the carrier of a replica, and makes the replica if it is not there. A carrier of the same agent that is
   * there ends: at any time one replica has one. Throws like `Engine.startGhost`, but never `workspace-missing`;
   * what the carrier says is thrown as `toWorkspaceError` makes it.
   */
  readonly openReplica: (wish: ReplicaWish, signal: AbortSignal) => Promise<Replica>;
  /** The agents of which this gateway has a replica here: 2000 at most, each with the name that its replica has. */
  readonly replicaAgents: () => Promise<string[]>;
  /**
   * Removes a replica with what it holds; false if there was none. Rejects while a ghost runs on it. Call `end` of an
   * open one before.
   */
  readonly removeReplica: (agent: string) => Promise<boolean>;
}
