import type { Http2SecureServer } from 'node:http2';
import { isIPv6 } from 'node:net';
import { promisify } from 'node:util';
import {
  Server,
  type ServerOptions,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { ListenAddress } from '../../../src/config/gateway-config.ts';
import { acceptMany } from '../../connections/accept-many.ts';
import { bindThrough } from './bound-servers.ts';
import { takeDecoded, withBounds } from './decoded-messages.ts';
import type { Front } from './front.ts';
import { mostMessageBytes } from './message-bounds.ts';
import type { Pace } from './pace.ts';
import { type ServerTls, StrictCredentials, secureContextOf } from './server-credentials.ts';

/** Whatever is added to it has a bound for its messages. */
class BoundedServer extends Server {
  override addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    super.addService(withBounds(service), implementation);
  }
}

/** Its connections have to go through `front`. */
export function newServer(front: Front, { pingMs, pongMs }: Pace, options: ServerOptions = {}): Server {
  const { interceptors = [], ...more } = options;
  return new BoundedServer({
    'grpc.keepalive_time_ms': pingMs,
    'grpc.keepalive_timeout_ms': pongMs,
    'grpc.max_receive_message_length': mostMessageBytes,
    'grpc.enable_channelz': 0,
    interceptors: [takeDecoded(front), ...interceptors],
    ...more,
  });
}

/** How a server is known to its peers: now, and after each call of the listener. */
export interface LiveTls {
  readonly now: () => ServerTls;
  readonly watch: (listener: () => void) => void;
}

/**
 * Resolves with the port; rejects if the address is not available. Every connection goes through `front`; each new one
 * gets what `tls` says then.
 */
export async function listen(
  server: Server,
  { host, port }: ListenAddress,
  tls: LiveTls,
  front: Front,
): Promise<number> {
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const bind = promisify(server.bindAsync.bind(server));
  const servers: Http2SecureServer[] = [];
  const bound = await bindThrough(
    () => bind(address, new StrictCredentials(tls.now())),
    (listening) => {
      front.attach(listening);
      tls.watch(() => listening.setSecureContext(secureContextOf(tls.now())));
      servers.push(listening);
    },
  );
  servers.filter(({ listening }) => listening).forEach(acceptMany);
  return bound;
}

/** Takes no new calls, waits for the open ones up to `graceMs`, then cuts them. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  // The wait has its own end: if a connection breaks meanwhile, tryShutdown may never call back.
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  server.forceShutdown();
}
