import type { Learns } from '../../src/egress/reach.ts';
import type { Checked } from './authentication.ts';
import type { Principal } from './principal.ts';

/** What a plan of this agent's tool says while somebody learns what it needs; undefined if nobody does. */
export type LearnsOf = (agent: string, tool: string) => Learns | undefined;

/** The learning of that id, if it may go on now. */
export type FindLearning = (id: string) => OpenLearning | undefined;

/** A learning, as connections see it. */
export interface OpenLearning {
  /** Aborts at its end, with an EgressError. */
  readonly signal: AbortSignal;
  /** False for one destination more than it takes. */
  readonly takes: (destination: string) => boolean;
  readonly reached: (destination: string) => void;
}

export interface WantedLearning {
  readonly agent: string;
  readonly tool: string;
  /** It ends after so long. */
  readonly ms: number;
  readonly reason: string;
}

/** In the audit when it resolves. */
export interface BegunLearning {
  /** What the tool has besides; `none` if that is nothing. */
  readonly network: string;
  readonly until: number;
  /** Why it has ended; its end is in the audit by then. */
  readonly ended: Promise<string>;
}

/** `tell` gets each destination once, and at most a thousand. It ends with `signal`. */
export type Learn = (
  wanted: WantedLearning,
  by: Principal,
  tell: (destination: string) => void,
  signal: AbortSignal,
) => Promise<Checked<BegunLearning>>;
