import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Transform } from 'node:stream';
import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { abortable } from '../../../src/abort.ts';
import { type CrumbPace, crumbBytes, crumbPace } from '../../../src/crumb-budgets.ts';
import type { WayOutRequest, WayOutResponse } from '../../../src/gen/clawrden/v1/relay.ts';
import { byteLane } from '../../../src/wire/byte-lane.ts';

export type WayOutStream = ClientDuplexStream<WayOutRequest, WayOutResponse>;

const allowed = Buffer.of(0);

/**
 * Passes the frames of an agent's way out to the gateway and back, until either ends or `signal` aborts; then both end.
 * Resolves with the reason.
 */
export async function carryWayOut(
  agent: string,
  socket: Socket,
  stream: WayOutStream,
  signal: AbortSignal,
): Promise<string> {
  const status = new Promise<StatusObject>((resolve) => stream.once('status', resolve));
  const lane = byteLane<WayOutRequest, WayOutResponse>(stream, {
    wrap: (value) => ({ message: { $case: 'frames', value } }),
    unwrap: ({ frames }) => frames,
    abort: () => stream.cancel(),
  });
  lane.on('error', () => {});
  stream.write({ message: { $case: 'start', value: { agent } } });
  socket.write(allowed);
  lane.pipe(socket);
  const pace = paced(crumbPace());
  socket.pipe(pace).pipe(lane);
  const left = once(socket, 'close').then(() => 'its program has ended');
  // A program that has said its last byte is gone.
  socket.once('end', () => socket.destroy());
  const ended = status.then(({ details }) => details || 'the gateway ended it');
  try {
    return await abortable(Promise.race([left, ended]), signal);
  } catch (error) {
    return (error as Error).message;
  } finally {
    for (const each of [socket, pace, lane]) each.destroy();
  }
}

/** Each piece is a message. What the gateway has not read of an agent's counts as flood of this relay (ADR 0052). */
export function paced(pace: CrumbPace): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      this.push(chunk);
      const waitMs = pace(chunk.length < crumbBytes ? 1 : 0);
      if (waitMs > 0) setTimeout(done, waitMs);
      else done();
    },
  });
}
