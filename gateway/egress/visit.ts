import type { Socket } from 'node:net';
import { EgressError } from '../../src/egress/egress-error.ts';
import type { Direction } from './account.ts';
import type { Way } from './way.ts';

/** One connection, from its first byte to its record. */
export interface Visit {
  readonly way: Way;
  /** Aborts when its way ends, and when its client goes away. */
  readonly signal: AbortSignal;
  /** From now on it ends with that, too, whose reason is an EgressError. */
  readonly endWith: (other: AbortSignal) => void;
  /** Why that has ended; `undefined` if it has not. */
  readonly whyOver: () => unknown;
  /** What the record says of it, as far as it is known. */
  readonly facts: VisitFacts;
  readonly spend: (direction: Direction, bytes: number) => void;
  /** Its client is of the agent's own user, as the way out's program says. */
  readonly isOfUser: boolean;
}

export interface VisitFacts {
  /** As its client wrote it, if that is no destination: up to a whole head. */
  to: string;
  route: string;
  address: string;
  up: number;
  down: number;
  /** Its network does not have it: somebody learns. */
  isLearned: boolean;
  /** The client has the beginning of an answer, so it cannot be told of a fault any more. */
  isAnswered: boolean;
}

export function newVisit(way: Way, signal: AbortSignal, isOfUser = false): Visit {
  const began = { to: '', route: '', address: '', up: 0, down: 0 };
  const facts: VisitFacts = { ...began, isLearned: false, isAnswered: false };
  let [until, lasts] = [signal, undefined as AbortSignal | undefined];
  return {
    way,
    get signal() {
      return until;
    },
    endWith: (other) => {
      lasts = other;
      until = AbortSignal.any([until, other]);
    },
    // `until` may have another reason: what it is made of may abort each other before it has one.
    whyOver: () => (lasts?.aborted === true ? lasts.reason : undefined),
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
