import { type Duplex, type Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EgressError } from '../../src/egress/egress-error.ts';
import type { Direction } from './account.ts';

/** Counts bytes on their way, and throws if they are too many. */
export type Spend = (direction: Direction, bytes: number) => void;

/** Carries bytes both ways until both sides have ended. A side that is slow makes the other wait. */
export async function splice(
  client: Duplex,
  server: Duplex,
  spend: Spend,
  signal: AbortSignal,
): Promise<void> {
  const both = new AbortController();
  const until = AbortSignal.any([signal, both.signal]);
  let tooMuch: unknown;
  const spendOrTell: Spend = (direction, bytes) => {
    try {
      spend(direction, bytes);
    } catch (error) {
      tooMuch = error;
      throw error;
    }
  };
  const ways = [
    carry(client, server, 'up', spendOrTell, until),
    carry(server, client, 'down', spendOrTell, until),
  ];
  try {
    await Promise.all(ways);
  } catch (error) {
    // If one way has failed, the other has no end of its own. (An abort without a reason makes one, with a stack.)
    both.abort(error);
    await Promise.allSettled(ways);
    // It ends both ways, and the other one may be the first to say that it was cut off.
    throw tooMuch ?? error;
  }
}

export async function carry(
  from: Readable,
  to: Writable,
  direction: Direction,
  spend: Spend,
  signal: AbortSignal,
): Promise<void> {
  try {
    await pipeline(from, meter(direction, spend), to, { signal });
  } catch (error) {
    // What is over its limit ends both sides, and the other one is heard of as well.
    if (error instanceof EgressError) throw error;
    if (signal.aborted) throw signal.reason;
    throw new EgressError('unreachable', 'it was cut off', codeOf(error));
  }
}

function meter(direction: Direction, spend: Spend): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        spend(direction, chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
