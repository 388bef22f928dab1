import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { watchTls } from '../../gateway/http/tls-floods.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { connectRawTls } from '../grpc/raw-tls.ts';

test('A-633 P20: of connections of one address that flood together one is read, and who is known over one of them keeps it', async () => {
  const { certificate, key } = await issueServerCertificate(await makeAuthority('Company'), ['127.0.0.1']);
  const server = createServer({ cert: certificate, key });
  const floods: Socket[] = [];
  let known: Socket | undefined;
  const watch = watchTls(
    server,
    { warn: () => {} },
    { isProven: (socket) => socket === known, onFlood: (socket) => void floods.push(socket) },
  );
  server.on('connection', (duplex) => {
    const socket = duplex as Socket;
    socket.on('error', () => {});
    known ??= socket;
    watch.accepted(socket);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = () => connectRawTls({ port, protocol: 'http/1.1', from: '127.0.7.20' });
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
