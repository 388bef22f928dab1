import { createServer, type Server, type ServerOpts } from 'node:net';
import { descriptorOf } from '../../src/descriptor-of.ts';
import { loadNativeAddon } from '../../src/native-addon.ts';

/** Enough that newcomers do not wait for turns, and few enough that what they cost makes no turn long by itself. */
const manyATurn = 64;
/** The descriptors that each listener has besides its own. */
export const listenerFiles = manyATurn - 1;

/**
 * Has a server that listens take up to 64 new connections in each turn of the event loop. Node takes one from each
 * descriptor: whatever makes turns long would hold up all newcomers, behind those that are refused once they are taken.
 * So it listens by 63 more descriptors of its socket (ADR 0208), until its `close`. Throws if they cannot be had.
 */
export function acceptMany(server: Server): void {
  const { duplicate } = loadNativeAddon();
  const fd = descriptorOf(server);
  // As Node's own servers keep them, without telling it: `node-server` and grpc-js choose them.
  const { allowHalfOpen, noDelay } = server as ServerOpts;
  const others = Array.from({ length: listenerFiles }, () =>
    createServer({ allowHalfOpen, noDelay })
      .on('connection', (socket) => void server.emit('connection', socket))
      .on('error', (error) => void server.emit('error', error))
      .listen({ fd: duplicate(fd) }),
  );
  const closeFirst = server.close.bind(server);
  server.close = (closed) => {
    const ends = others.splice(0).map((other) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      other.close(resolve);
      return promise;
    });
    return closeFirst((error) => void Promise.all(ends).then(() => closed?.(error)));
  };
}
