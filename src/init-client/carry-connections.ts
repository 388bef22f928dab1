import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { CrumbPace } from '../crumb-budgets.ts';
import { FrameReader } from '../wire/frames.ts';
import { isConnectionFrame } from './connection-frame.ts';
import { Connections, doesNotRead, mostUnread, type Serve } from './connections.ts';
import { frameCost } from './frame-cost.ts';
import { InitFault } from './init-fault.ts';
import { maxInitFrameBytes } from './init-protocol.ts';

/** After so many frames everybody else has a turn. */
const framesInTurn = 64;

/**
 * Serves the connections of a way out over a stream that is of nothing else, until it ends; then they end, too. Rejects
 * if the stream is cut off, and with an `InitFault` or a `FrameError` if the other side breaks the rules.
 */
export async function carryConnections(
  stream: Duplex,
  serve: Serve,
  pace: CrumbPace,
  signal: AbortSignal,
): Promise<void> {
  const reader = new FrameReader(maxInitFrameBytes);
  const isFull = () => stream.writableNeedDrain || !stream.writable;
  const write = (frame: Buffer) => {
    if (stream.writableLength > mostUnread) stream.destroy(doesNotRead());
    else if (stream.writable) stream.write(frame);
  };
  const connections = new Connections({ isFull, write }, serve);
  stream.on('drain', () => connections.resume());
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const frames = reader.push(chunk);
      const waitMs = pace(frameCost(frames, frames.length, chunk.length));
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
      for (const [at, frame] of frames.entries()) {
        if (at % framesInTurn === framesInTurn - 1) await setImmediate();
        if (!isConnectionFrame(frame)) throw new InitFault('broke', 'a frame that is about no connection');
        connections.take(frame);
      }
    }
  } finally {
    connections.close();
  }
}
