/** `refused`: a breaker lets no new work of it through; what runs goes on. */
export type AgentState = 'active' | 'refused' | 'paused' | 'killed';

/** By whom a state was set (`operator:NAME`, `breaker:NAME`), why, and when (epoch milliseconds). */
export interface Held {
  readonly state: AgentState;
  readonly by: string;
  readonly reason: string;
  readonly since: number;
}

/** What came of a pause or kill. `unconfirmed` names what was still there after 2 s: its host cannot be reached. */
export interface Halt {
  readonly stopped: number;
  readonly unconfirmed: readonly string[];
}
