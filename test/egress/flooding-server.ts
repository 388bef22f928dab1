import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import { Keys, recordTypes } from '../grpc/raw-tls.ts';

const updating = Buffer.from([24, 0, 0, 1, 0]);

/** Makes the records of the server's side, in the order in which they are sent. */
export interface Sealing {
  readonly seal: (content: string | Uint8Array) => Buffer;
  readonly keyUpdate: () => Buffer;
  /** So many session tickets in one record. */
  readonly tickets: (count: number) => Buffer;
}

/** An answer, piece by piece; it ends early if the connection does. */
export type Answer = (sealing: Sealing) => Iterable<Buffer>;

export interface FloodingServer extends AsyncDisposable {
  readonly port: number;
  /** Of each request, how its answer ended: the whole was sent, or the client ended the connection. */
  readonly ends: readonly ('sent' | 'cut')[];
}

/**
 * A TLS server whose handshakes are Node's, and whose records afterwards are ours: it stands before Node's, and drops
 * what that sends when the client's part is complete.
 */
export async function startFloodingServer(
  credentials: { readonly cert: string; readonly key: string; readonly ca?: string },
  answer: Answer,
): Promise<FloodingServer> {
  const secrets = new WeakMap<TLSSocket, Buffer>();
  const clients = new Map<number, Socket>();
  const secured = new Set<Socket>();
  const ends: ('sent' | 'cut')[] = [];
  const inner = createTls({ ...credentials, minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' });
  inner.on('tlsClientError', () => {});
  inner.on('keylog', (line, socket) => {
    const [label, , secret = ''] = line.toString('latin1').trim().split(' ');
    if (label === 'SERVER_TRAFFIC_SECRET_0') secrets.set(socket, Buffer.from(secret, 'hex'));
  });
  inner.on('secureConnection', (socket) => {
    const client = clients.get(socket.remotePort ?? 0) as Socket;
    secured.add(client);
    socket.on('error', () => {});
    socket.once('data', () => {
      void send(client, answer(sealing(secrets.get(socket)))).then((end) => ends.push(end));
    });
  });
  const outer = createServer((client) => {
    const behind = connect((inner.address() as AddressInfo).port, '127.0.0.1', () => {
      clients.set(behind.localPort ?? 0, client);
      client.on('data', (bytes) => behind.write(bytes));
    });
    const close = () => {
      for (const socket of [client, behind]) socket.destroy();
    };
    for (const socket of [client, behind]) socket.on('error', close).on('close', close);
    behind.on('data', (bytes) => secured.has(client) || client.write(bytes));
  });
  for (const server of [inner, outer]) await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (outer.address() as AddressInfo).port,
    ends,
    [Symbol.asyncDispose]: async () => {
      for (const client of clients.values()) client.destroy();
      await Promise.all([inner, outer].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function sealing(secret: Buffer = Buffer.alloc(32)): Sealing {
  const keys = new Keys(secret);
  return {
    seal: (content) => keys.seal(recordTypes.data, Buffer.from(content)),
    tickets: (count) =>
      keys.seal(recordTypes.handshake, Buffer.concat(Array.from({ length: count }, newTicket))),
    keyUpdate: () => {
      const bytes = keys.seal(recordTypes.handshake, updating);
      keys.update();
      return bytes;
    },
  };
}

/** Valid for a second, with a nonce and a ticket of a byte, and no extensions. */
function newTicket(): Buffer {
  const body = Buffer.from([...[0, 0, 0, 1], ...[0, 0, 0, 0], ...[1, 0], ...[0, 1, 0], ...[0, 0]]);
  return Buffer.concat([Buffer.from([4, 0, 0, body.length]), body]);
}

async function send(client: Socket, pieces: Iterable<Buffer>): Promise<'sent' | 'cut'> {
  const until = (event: string) => new Promise((resolve) => client.once(event, resolve));
  const closed = until('close');
  for (const piece of pieces) {
    if (client.destroyed) return 'cut';
    const isTaken = client.write(piece);
    await (isTaken ? new Promise(setImmediate) : Promise.race([closed, until('drain')]));
  }
  if (client.destroyed) return 'cut';
  client.end();
  return 'sent';
}
