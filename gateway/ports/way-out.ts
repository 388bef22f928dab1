import type { Duplex } from 'node:stream';
import type { Reach } from '../../src/egress/reach.ts';
import type { ConnectionRecord } from '../audit/connection-record.ts';

/** Opens the way out of one execution. */
export type OpenWayOut = (traveller: Traveller, reach: Reach) => WayOut;

/** On whose behalf connections are made. */
export interface Traveller {
  /** Empty for the agent's own. */
  readonly execution: string;
  readonly agent: string;
  /** Ends its connections. */
  readonly signal: AbortSignal;
  /** Masks what nobody may read who reads records: the secrets that are given to what makes the connections. */
  readonly hide: (text: string) => string;
  /** Gets the line that a refused client got. */
  readonly refused: (line: string) => void;
  /** Gets what the audit got, when a connection is over. */
  readonly ended: (record: ConnectionRecord) => void;
}

export interface WayOut {
  /** Takes over a connection, of the agent's own user if that is known. Its maker destroys it when its client is gone. */
  readonly serve: (client: Duplex, isOfUser: boolean) => void;
  /** Resolves when all that it serves are over, and in the audit. Never rejects. */
  readonly closed: () => Promise<void>;
}
