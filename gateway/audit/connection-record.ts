import type { Destination } from '../../src/egress/destination.ts';
import type { EgressFault } from '../../src/egress/egress-error.ts';
import type { PlannedRoute } from '../../src/egress/reach.ts';

/** A connection that a tool or an agent wanted, written when it is over. Nothing of what went over it. */
export interface ConnectionRecord {
  readonly type: 'connection';
  /** Empty for the agent's own way out. */
  readonly execution: string;
  readonly agent: string;
  readonly network: string;
  /** `NAME:PORT`; of a request that cannot be read its beginning. */
  readonly to: string;
  /** Empty unless it was a route. */
  readonly route: string;
  /** To which it was connected; empty if it was not. */
  readonly address: string;
  /** `closed` if it came to its end, or why not. */
  readonly outcome: 'closed' | 'stopped' | EgressFault;
  readonly text: string;
  /** Bytes to the destination, and from there. */
  readonly up: number;
  readonly down: number;
  readonly ms: number;
  /** No destination of its network: it was reached because somebody learned what the tool needs. */
  readonly learned?: true;
  /** So many were turned away since the last record, unread, because too many were open. */
  readonly turnedAway?: number;
}

/** What an agent itself may reach from now on. Written before it reaches anything. */
export interface WayOutRecord {
  readonly type: 'way-out';
  readonly agent: string;
  readonly network: string;
  readonly allow: readonly Destination[];
  readonly routes: readonly PlannedRoute[];
}
