import type { Socket } from 'node:net';
import type { Endpoint } from '../../src/egress/endpoint.ts';
import type { Reach } from '../../src/egress/reach.ts';
import type { Traveller } from './way-out.ts';

/** A server that the gateway itself asks on behalf of an execution. */
export interface Asked {
  readonly endpoint: Endpoint;
  readonly secure: boolean;
  /** Absent: every public address. */
  readonly reach: Reach | undefined;
  /** For the record. */
  readonly why: string;
}

/**
 * Connects, with TLS if asked for, and destroys the connection when `use` has ended, or the traveller's signal aborts. It
 * is in the audit by then. Throws EgressErrors, the signal's reason, or what `use` throws.
 */
export type Reaching = <T>(
  traveller: Traveller,
  asked: Asked,
  use: (socket: Socket) => Promise<T>,
) => Promise<T>;
