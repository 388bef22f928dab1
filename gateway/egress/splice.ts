import type { Duplex, Readable, Writable } from 'node:stream';
import { onAbort } from '../../src/abort.ts';
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
  const ways = [carry(client, server, 'up', spend, signal), carry(server, client, 'down', spend, signal)];
  try {
    await Promise.all(ways);
  } catch (error) {
    for (const side of [client, server]) side.destroy();
    throw error;
  } finally {
    await Promise.allSettled(ways);
  }
}

/**
 * Carries bytes one way until `to` has taken all of them and the end. If that fails, `to` is destroyed, and `from` is
 * its caller's again, unread: a client may still be told. Node's own `pipeline` makes errors, signals and a stream in
 * between for each (ADR 0175).
 */
export async function carry(
  from: Readable,
  to: Writable,
  direction: Direction,
  spend: Spend,
  signal: AbortSignal,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cutOff = (error?: unknown) => over.reject(faultOf(error));
  const carried = (chunk: Buffer) => {
    try {
      spend(direction, chunk.length);
    } catch (error) {
      from.off('data', carried);
      over.reject(error);
      return;
    }
    if (!to.write(chunk)) from.pause();
  };
  // What happens to it behind its end does not count.
  const lost = (error?: unknown) => {
    if (!from.readableEnded) cutOff(error);
  };
  const ended = () => to.end();
  from.on('data', carried).once('end', ended);
  from.on('error', lost).once('close', lost);
  to.on('drain', () => from.resume()).once('finish', over.resolve);
  to.on('error', cutOff).once('close', cutOff);
  using _ = onAbort(signal, () => over.reject(signal.reason));
  if (from.readableEnded) to.end();
  else if (from.destroyed || to.destroyed) cutOff();
  else if (!to.writableNeedDrain) from.resume();
  try {
    await over.promise;
  } catch (error) {
    from.off('data', carried).off('end', ended).pause();
    to.destroy();
    throw error;
  }
}

function faultOf(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const { code = 'ERR_STREAM_PREMATURE_CLOSE' } = (error ?? {}) as NodeJS.ErrnoException;
  return new EgressError('unreachable', 'it was cut off', code);
}
