import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Faults } from '../../src/faults.ts';
import { connectionKey } from '../connections/address-key.ts';
import { ConnectionBounds, type ConnectionLimits, type Counted } from '../connections/bounds.ts';
import type { BrokenRequests } from './broken-requests.ts';
import type { Callers } from './callers.ts';
import { watchTls } from './tls-floods.ts';

/** The connections of one HTTP listener: so many in all, for each address, and for each principal. */
export interface Connections extends Disposable {
  /**
   * Its connection has shown who uses it: connections that have not displace it no more. One name keeps half of an
   * address's connections in this way; if it has more, they make room for others.
   */
  readonly prove: (request: IncomingMessage, name: string) => void;
}

const tidyMs = 10_000;
/** A flood has to end soon. */
const weighMs = 100;

export interface ConnectionsParts {
  readonly limits: ConnectionLimits;
  readonly callers: Pick<Callers, 'mayConnect'>;
  readonly broken: Pick<BrokenRequests, 'onCrowd'>;
  readonly faults: Faults;
  readonly log: Logger;
}

/** Call it before the server listens. */
export function boundConnections(
  server: Server,
  { limits, callers, broken, faults, log }: ConnectionsParts,
): Connections {
  const bounds = new ConnectionBounds<Bounded>(limits);
  const open = new Map<string, Bounded>();

  const flooded = (socket: Socket) => {
    const connection = open.get(connectionKey(socket));
    if (connection !== undefined) bounds.flooded({ ...connection, name: undefined });
  };
  const isProven = (socket: Socket) => open.get(connectionKey(socket))?.name !== undefined;
  const tls = watchTls(server, log, { areProxies: limits.areProxies, isProven, onFlood: flooded });

  function place(connection: Bounded): ReturnType<typeof bounds.add> {
    if (!callers.mayConnect(connection.address)) return { refused: 'it is no proxy of ours' };
    if (tls.isOut(connection.address)) return { refused: 'its address flooded a moment ago' };
    return bounds.add(connection);
  }

  function accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const connection = { address, name: undefined, socket };
    const placed = place(connection);
    socket.on('error', () => {});
    if ('refused' in placed) {
      log.debug({ address, reason: placed.refused }, 'connection refused');
      return void socket.destroy();
    }
    const key = connectionKey(socket);
    open.set(key, connection);
    socket.once('close', () => {
      open.delete(key);
      bounds.remove(connection, tls.hasFailed(socket));
    });
    tls.accepted(socket);
    placed.displaced?.socket.destroy();
  }

  // What it had sent is read to its end, and that costs as much as many handshakes, with a name or without.
  broken.onCrowd(flooded);
  server.on(
    'connection',
    faults.guard('http connection', accept, (socket) => void socket.destroy()),
  );
  const tidy = () => bounds.tidy();
  const guarded = (run: () => void) => faults.guard('http connections', run);
  const timers = [setInterval(guarded(tidy), tidyMs), setInterval(guarded(tls.weigh), weighMs)];
  for (const timer of timers) timer.unref();
  return {
    prove: ({ socket }, name) => {
      const connection = open.get(connectionKey(socket));
      // Behind a proxy one connection is used for many: it has the name of the first.
      if (connection === undefined || connection.name !== undefined) return;
      bounds.prove(connection, name, Math.ceil(limits.perAddress / 2));
    },
    [Symbol.dispose]: () => {
      for (const timer of timers) clearInterval(timer);
      for (const { socket } of open.values()) socket.destroy();
    },
  };
}

interface Bounded extends Counted {
  readonly socket: Socket;
}
