import type { Reach } from '../../src/egress/reach.ts';
import type { Traveller } from '../ports/way-out.ts';
import type { Account } from './account.ts';

/** On whose behalf connections are made, and what these may be. */
export interface Way extends Traveller {
  readonly reach: Reach;
  /** Of all connections of this execution or agent. */
  readonly account: Account;
}

/** An agent's own. */
export type AgentWay = Pick<Way, 'agent' | 'reach'>;
