import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { watchTls } from '../../gateway/http/tls-floods.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { connectRawTls } from '../grpc/raw-tls.ts';

const most = 20_000;

async function watched() {
  const { certificate, key } = await issueServerCertificate(await makeAuthority('Company'), ['127.0.0.1']);
  const server = createServer({ cert: certificate, key });
  const floods: Socket[] = [];
  const accepted: Socket[] = [];
  const parts = {
    isProven: (socket: Socket) => socket === accepted[0],
    onFlood: (socket: Socket) => void floods.push(socket),
  };
  const watch = watchTls(server, { warn: () => {} }, parts);
  server.on('connection', (duplex) => {
    const socket = duplex as Socket;
    socket.on('error', () => {});
    accepted.push(socket);
    watch.accepted(socket);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = () => connectRawTls({ port, protocol: 'http/1.1', from: '127.0.7.20' });
  return { server, floods, connect };
}

test('A-633 P20: of connections of one address that flood together one is read, and who is known over one of them keeps it', async () => {
  const { server, floods, connect } = await watched();
  const first = await connect();
  const peers = await Promise.all(Array.from({ length: 12 }, connect));
  const flood = peers.map((peer) => Buffer.concat(Array.from({ length: 300 }, () => peer.keyUpdate(false))));
  for (const [at, peer] of peers.entries()) peer.socket.write(flood[at] ?? '');
  await Promise.all(peers.map(({ ended }) => ended));
  expect(floods).toHaveLength(1);
  expect(first.socket.closed).toBe(false);
  first.socket.destroy();
  server.close();
});

test('A-635 P20: of a byte in each record little is read of all connections of one address together, in the turn in which it comes', async () => {
  const { server, floods, connect } = await watched();
  const read: TLSSocket[] = [];
  server.on('secureConnection', (tls: TLSSocket) => void read.push(tls));
  const first = await connect();
  const peers = await Promise.all(Array.from({ length: 12 }, connect));
  // A request whose headers are well-formed as far as they come.
  const start = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ';
  const flood = peers.map((peer) =>
    Buffer.concat([
      peer.seal(Buffer.from(start)),
      ...Array.from({ length: 10_000 }, () => peer.seal(Buffer.from('G'))),
    ]),
  );
  for (const [at, peer] of peers.entries()) peer.socket.write(flood[at] ?? '');
  const bytes = () => read.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  await expect.poll(() => bytes() > most || peers.every(({ socket }) => socket.closed)).toBe(true);
  expect(bytes()).toBeLessThan(most);
  expect(floods).toHaveLength(1);
  const answered = once(first.socket, 'data');
  server.on('request', (_request, response) => void response.end());
  first.socket.write(first.seal(Buffer.from(`${start}\r\n\r\n`)));
  await answered;
  first.socket.destroy();
  server.close();
});

test('A-635 P20: a crowd of one address that sends first requests in the same moment is served', async () => {
  const { server, floods, connect } = await watched();
  server.on('request', (_request, response) => void response.end());
  await connect();
  const crowd = await Promise.all(Array.from({ length: 110 }, connect));
  const answers = crowd.map(({ socket }) => once(socket, 'data'));
  for (const { socket, seal } of crowd) {
    const parts = ['GET / HTTP/1.1\r\n', 'Host: 127.0.0.1\r\n', 'a: b\r\n', 'c: d\r\n', '\r\n'];
    socket.write(Buffer.concat(parts.map((part) => seal(Buffer.from(part)))));
  }
  await Promise.all(answers);
  expect(floods).toHaveLength(0);
  for (const { socket } of crowd) socket.destroy();
  server.closeAllConnections();
  server.close();
});
