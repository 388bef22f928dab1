import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Http2SecureServer } from 'node:http2';

// Published when `listen` is called, before any client can connect.
const channel = 'tracing:net.server.listen:asyncStart';

/**
 * Runs `bind`. Each server that it makes calls `found` first when it listens, because grpc-js does not expose its
 * own.
 */
export async function bindThrough<T>(
  bind: () => Promise<T>,
  found: (server: Http2SecureServer) => void,
): Promise<T> {
  // Other servers of this process may begin to listen meanwhile.
  const binding = new AsyncLocalStorage<typeof bind>();
  const onListen = (message: unknown): void => {
    if (binding.getStore() === bind) found((message as { server: Http2SecureServer }).server);
  };
  subscribe(channel, onListen);
  try {
    return await binding.run(bind, bind);
  } finally {
    unsubscribe(channel, onListen);
  }
}
