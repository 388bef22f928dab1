import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex, pipeline, Transform, Writable } from 'node:stream';
import { type CrumbPace, crumbPace } from '../crumb-budgets.ts';
import { DockerDemux } from '../init-client/docker-demux.ts';
import { costOfPieces } from '../init-client/frame-cost.ts';
import { FrameError } from '../wire/frames.ts';

/** One of our programs is silent there, but for its last words. */
const mostStderrBytes = 64 * 1024;

/**
 * The container's stdin, and its stdout without the engine's headers. What it writes to its stderr, `complain` gets. An
 * engine that sends what brings nothing breaks the rules: its stream ends with a FrameError.
 */
export function attachedStream(
  socket: Socket,
  complain: (bytes: Buffer) => void = () => {},
  pace: CrumbPace = crumbPace(),
): Duplex {
  const stdout = stdoutOf(complain, pace);
  const ended = new AbortController();
  // Its end and its errors are the stream's own.
  pipeline(socket, stdout, () => ended.abort());
  // After its end, what was still to be written may be refused.
  socket.on('error', () => {});
  const stream = Duplex.from({ readable: stdout, writable: stdinOf(socket, ended.signal) });
  // It may be cut while nobody reads it yet, or any more: who reads it hears of it.
  return stream.on('error', () => {});
}

/** Of what is not stdout nothing waits for a reader, so it is bounded; small pieces of stdout have a rate. */
function stdoutOf(complain: (bytes: Buffer) => void, pace: CrumbPace): Transform {
  const demux = new DockerDemux();
  let left = mostStderrBytes;
  const take = (to: Transform, chunk: Buffer) => {
    for (const { stream, bytes } of demux.push(chunk)) {
      if (stream === 1) to.push(bytes);
      else left -= bytes.length;
      if (left < 0) throw new FrameError('more on stderr than it has to say');
      if (stream === 2) complain(bytes);
    }
    const { headers, empty } = demux.takeHeaders();
    if (empty > 0) throw new FrameError('a piece of its output without a byte');
    return pace(costOfPieces(headers, chunk.length));
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        const waitMs = take(this, chunk);
        if (waitMs > 0) setTimeout(done, waitMs);
        else done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/**
 * An engine whose container has ended ends its own side and no longer reads ours. What is written then goes nowhere, and
 * does not wait: the reader still gets the container's last words, and then its end.
 */
function stdinOf(socket: Socket, ended: AbortSignal): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (ended.aborted || socket.write(chunk)) return done();
      const goOn = () => done();
      once(socket, 'drain', { signal: ended }).then(goOn, goOn);
    },
    final(done) {
      socket.end();
      done();
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
}
