import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import type { CarrierLimits } from '../../src/carrier-client/hello.ts';

/** Of what a replica is: each home of each agent has its own. */
export interface ReplicaOf {
  readonly agent: string;
  /** The id of the home that it follows; empty: a gateway made it that did not tell homes apart. */
  readonly home: string;
}

/** What a replica follows, and what it may hold. */
export interface ReplicaWish extends ReplicaOf {
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
   * Starts the carrier of a replica, and makes the replica if it is not there. A carrier of the same replica that is
   * there ends: at any time one has one. Throws like `Engine.startGhost`, but never `workspace-missing`;
   * what the carrier says is thrown as `toWorkspaceError` makes it.
   */
  readonly openReplica: (wish: ReplicaWish, signal: AbortSignal) => Promise<Replica>;
  /** The replicas that this gateway has here: 2000 at most, each under the name that it gives. */
  readonly replicas: () => Promise<ReplicaOf[]>;
  /**
   * Removes a replica with what it holds; false if there was none. Rejects while a ghost runs on it. Call `end` of an
   * open one before.
   */
  readonly removeReplica: (of: ReplicaOf) => Promise<boolean>;
}
