import type { Reach } from '../../src/egress/reach.ts';
import type { McpDoor } from '../ports/mcp-door.ts';
import type { Traveller } from '../ports/way-out.ts';
import type { Account } from './account.ts';

/** On whose behalf connections are made, and what these may be. */
export interface Way extends Traveller {
  readonly reach: Reach;
  /** Of all connections of this execution or agent. */
  readonly account: Account;
  /** The agent's own door to MCP, if it has one now. */
  readonly mcp?: OwnMcp;
}

export type OwnMcp = () => McpDoor | undefined;

/** An agent's own. */
export type AgentWay = Pick<Way, 'agent' | 'reach'>;
