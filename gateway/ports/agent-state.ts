/** `refused`: a breaker refuses the agent's new work; what runs continues. */
export type AgentState = 'active' | 'refused' | 'paused' | 'killed';

/** Who set a state (`operator:NAME`, `breaker:NAME`), why, and when (epoch milliseconds). */
export interface AgentStatus {
  readonly state: AgentState;
  readonly by: string;
  readonly reason: string;
  readonly since: number;
}

/** The result of a pause or kill. `unconfirmed` names the executions that were not confirmed as ended after 2 s. */
export interface Halt {
  readonly stopped: number;
  readonly unconfirmed: readonly string[];
}
