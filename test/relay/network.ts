import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to a TCP port of this machine that a test can break. */
export interface Network extends AsyncDisposable {
  readonly port: number;
  /** Resets every connection; new ones are refused until `heal`. */
  readonly cut: () => void;
  /** No byte gets through any more, and neither side is told. */
  readonly freeze: () => void;
  readonly heal: () => void;
}

export async function networkTo(port: number): Promise<Network> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((inner) => {
    if (isCut) return inner.destroy();
    const outer = connect(port, '127.0.0.1');
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    inner.pipe(outer).pipe(inner);
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    heal: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
