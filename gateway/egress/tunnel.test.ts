import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { noReach } from '../../src/egress/reach.ts';
import { openAccount } from './account.ts';
import { tunnel } from './tunnel.ts';
import { newVisit } from './visit.ts';

const signal = new AbortController().signal;
const heard = { refused: () => {}, ended: () => {}, hide: (text: string) => text };
const reach = { ...noReach, routes: [], network: 'n', allow: [{ to: 'registry.example:443' }] };
const way = { execution: '', agent: 'coder', signal, ...heard, reach, account: openAccount({}) };
const request = { url: 'registry.example:443' } as IncomingMessage;
const asked = { is: 'tunnel', request, head: Buffer.alloc(0) } as const;

// An error that nothing listens for is one of the process: the test run would fail by it.
test('P21: a server that resets its connection before the hello is there ends the tunnel and nothing else', async () => {
  await using server = createServer((peer) => setTimeout(() => peer.resetAndDestroy(), 100)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  let socket: Socket | undefined;
  const reached = async () => {
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return { socket, address: '127.0.0.1' };
  };
  const [client, user] = duplexPair();
  client.on('error', () => {});
  const parts = { connect: reached, findLearning: () => undefined, idleMs: 60_000 };
  const over = tunnel(client, asked, newVisit(way, signal), parts).catch((error: unknown) => error);
  expect(String(await once(user, 'data'))).toContain('200 Connection established');
  for (let n = 0; n < 100 && socket?.destroyed !== true; n += 1) await sleep(10);
  const tls = connectTls({ socket: user.on('error', () => {}), servername: 'registry.example' });
  tls.on('error', () => {});
  expect(await over).toMatchObject({ fault: 'unreachable', message: 'it was cut off' });
});
