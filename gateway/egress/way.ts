import type { Reach } from '../../src/egress/reach.ts';
import type { ConnectionRecord } from '../audit/connection-record.ts';
import type { Account } from './account.ts';

/** On whose behalf connections are made, and what these may be. */
export interface Way {
  readonly reach: Reach;
  /** Empty for the agent's own. */
  readonly execution: string;
  readonly agent: string;
  /** Of all connections of this execution or agent. */
  readonly account: Account;
  /** Ends its connections. */
  readonly signal: AbortSignal;
  /** Gets the line that a refused client got. */
  readonly refused: (line: string) => void;
  /** Gets what the audit got, when a connection is over. */
  readonly ended: (record: ConnectionRecord) => void;
}
