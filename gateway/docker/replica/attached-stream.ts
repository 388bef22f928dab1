import type { Socket } from 'node:net';
import { Duplex, pipeline, Transform } from 'node:stream';
import { DockerDemux } from '../../../src/init-client/docker-demux.ts';

/** The container's stdin, and its stdout without the engine's headers. */
export function attachedStream(socket: Socket): Duplex {
  const demux = new DockerDemux();
  const stdout = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const { stream, bytes } of demux.push(chunk)) if (stream === 1) this.push(bytes);
      done();
    },
  });
  // Its end and its errors are the stream's own.
  pipeline(socket, stdout, () => {});
  return Duplex.from({ readable: stdout, writable: socket });
}
