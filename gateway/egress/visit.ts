import type { Socket } from 'node:net';
import { EgressError } from '../../src/egress/egress-error.ts';
import type { Direction } from './account.ts';
import type { Way } from './way.ts';

/** One connection, from its first byte to its record. */
export interface Visit {
  readonly way: Way;
  /** Aborts when its way ends, and when its client goes away. */
  readonly signal: AbortSignal;
  /** What the record says of it, as far as it is known. */
  readonly facts: VisitFacts;
  readonly spend: (direction: Direction, bytes: number) => void;
  /** Its client is of the agent's own user, as the way out's program says. */
  readonly isOfUser: boolean;
}

export interface VisitFacts {
  to: string;
  route: string;
  address: string;
  up: number;
  down: number;
  /** The client has the beginning of an answer, so it cannot be told of a fault any more. */
  isAnswered: boolean;
}

export function newVisit(way: Way, signal: AbortSignal, isOfUser = false): Visit {
  const facts: VisitFacts = { to: '', route: '', address: '', up: 0, down: 0, isAnswered: false };
  return {
    way,
    signal,
    ...{ facts, isOfUser },
    spend: (direction, bytes) => {
      facts[direction] += bytes;
      way.account.spend(direction, bytes);
    },
  };
}

/** Ends the connection after so long without a byte in either direction. */
export function endIfIdle(socket: Socket, idleMs: number): void {
  socket.setTimeout(idleMs, () => {
    socket.destroy(new EgressError('late', `no byte came or went for ${idleMs / 1000} s`));
  });
}
