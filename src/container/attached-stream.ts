import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex, pipeline, Transform, Writable } from 'node:stream';
import { DockerDemux } from '../init-client/docker-demux.ts';

/** The container's stdin, and its stdout without the engine's headers. What it writes to its stderr, `complain` gets. */
export function attachedStream(socket: Socket, complain: (bytes: Buffer) => void = () => {}): Duplex {
  const demux = new DockerDemux();
  const stdout = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const { stream, bytes } of demux.push(chunk)) {
        if (stream === 1) this.push(bytes);
        if (stream === 2) complain(bytes);
      }
      done();
    },
  });
  const ended = new AbortController();
  // Its end and its errors are the stream's own.
  pipeline(socket, stdout, () => ended.abort());
  // After its end, what was still to be written may be refused.
  socket.on('error', () => {});
  return Duplex.from({ readable: stdout, writable: stdinOf(socket, ended.signal) });
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
