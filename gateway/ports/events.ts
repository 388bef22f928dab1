import type { ExecutionSummary } from './execution-record.ts';
import type { PendingApproval } from './verdict.ts';
import type { AgentView, HostView, PolicyView, StatusView } from './warden-api.ts';

/** A question as lists show it: how long its plan is, and not the plan. */
export type WaitingApproval = Omit<PendingApproval, 'plan'> & { readonly planBytes: number };

/** One thing as it is now, or that it is there no more. */
export type Change =
  | { readonly type: 'execution'; readonly row: ExecutionSummary }
  | { readonly type: 'approval'; readonly row: WaitingApproval }
  | { readonly type: 'approval-gone'; readonly row: Pick<WaitingApproval, 'id' | 'executionId' | 'agent'> }
  | { readonly type: 'agent'; readonly row: AgentView }
  | { readonly type: 'agent-gone'; readonly row: Pick<AgentView, 'name'> }
  | { readonly type: 'host'; readonly row: HostView }
  | { readonly type: 'host-gone'; readonly row: Pick<HostView, 'name'> }
  | { readonly type: 'status'; readonly row: StatusView }
  | { readonly type: 'policy'; readonly row: Pick<PolicyView, 'hash' | 'problem'> };

export type ChangeType = Change['type'];

/** What every door that watches tells, in one order for all. */
export interface GatewayEvent {
  /** One more than that of the event before it; never 0. */
  readonly place: number;
  readonly at: number;
  /** Whom it is about; empty if that is no agent. */
  readonly agent: string;
  /** Of an execution: who asked for it; else empty. */
  readonly caller: string;
  readonly change: Change;
}

/** The newest events. What changes is kept from the first reader on. */
export interface EventFeed {
  /** The place of the newest event. */
  readonly begin: () => number;
  /** Those behind a place, in order: some of them, and none if there is none. */
  readonly after: (place: number) => readonly GatewayEvent[];
  /** Whether all events of these agents behind the place are still here. */
  readonly isWhole: (place: number, agent: (name: string) => boolean) => boolean;
  /** Calls `listener` after new events, until `signal` aborts. */
  readonly watch: (listener: () => void, signal: AbortSignal) => void;
}
