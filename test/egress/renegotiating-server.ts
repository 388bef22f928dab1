import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';

export interface RenegotiatingServer extends AsyncDisposable {
  readonly port: number;
  /** That were completed, over all connections. */
  readonly handshakes: () => number;
}

const most = 50;

/** A server of TLS 1.2 that answers nothing and asks its client for a new handshake when one is complete. */
export async function startRenegotiating(credentials: {
  readonly cert: string;
  readonly key: string;
}): Promise<RenegotiatingServer> {
  let handshakes = 0;
  const server = createServer({ ...credentials, maxVersion: 'TLSv1.2' }, (socket: TLSSocket) => {
    handshakes += 1;
    const again = () => {
      socket.renegotiate({}, (error) => {
        if (error === null) handshakes += 1;
        if (error !== null || handshakes >= most) socket.destroy();
        else setImmediate(again);
      });
      // OpenSSL asks with what is written next; parsers of answers skip it.
      socket.write('\r\n');
    };
    socket.on('error', () => {}).once('data', again);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    handshakes: () => handshakes,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
