import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whyNotAddress } from '../../src/egress/judged-lookup.ts';
import { postHook } from '../../src/hooks/post-hook.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const secret = 'a secret of the test';
const delivery = { id: 'ping/1', event: 'ping', body: '{"version":1}' };
const never = new AbortController().signal;

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver(secret);
});
afterAll(() => receiver[Symbol.asyncDispose]());

const post = (url: string, mayBePrivate: boolean) =>
  postHook({ url, secret, private: mayBePrivate }, delivery, never);

test('A-140: a redirect is not followed, and an answer that is no 2xx says when to come back', async () => {
  const before = receiver.received.length;
  receiver.answer = { status: 302, headers: { Location: `${receiver.url}/elsewhere` } };
  expect(await post(receiver.url, true)).toEqual({ why: 'it redirects (302), which is not followed' });
  receiver.answer = { status: 429, headers: { 'Retry-After': '7' } };
  expect(await post(receiver.url, true)).toEqual({ why: 'it answered 429', waitMs: 7000 });
  receiver.answer = { status: 200 };
  expect(await post(receiver.url, true)).toEqual({ taken: true });
  expect(receiver.received.slice(before).map(({ path, isSigned }) => [path, isSigned])).toEqual(
    Array.from({ length: 3 }, () => ['/hook', true]),
  );
});

test('A-341: a receiver that switches the protocol has not taken it, and is not waited for', async () => {
  await using server = createServer((socket) => {
    socket.resume().end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await post(`http://127.0.0.1:${port}/`, true)).toEqual({
    why: 'it changes the protocol, which nobody asked for',
  });
});

test.each([
  ['its address', () => receiver.url],
  ['a name of it', () => receiver.url.replace('127.0.0.1', 'localhost')],
])('A-140: a receiver that is not public gets nothing by %s unless gateway.yaml says so', async (_, url) => {
  const before = receiver.received.length;
  expect(await post(url(), false)).toEqual({ why: expect.stringContaining('is not public') });
  expect(receiver.received.length).toBe(before);
});

test.each([
  ['169.254.169.254', true, false],
  ['::ffff:169.254.169.254', true, false],
  ['0.0.0.0', true, false],
  ['::', true, false],
  ['fe80::1', true, false],
  ['224.0.0.1', true, false],
  ['10.1.2.3', true, true],
  ['10.1.2.3', false, false],
  ['172.31.255.255', false, false],
  ['192.168.1.1', false, false],
  ['100.64.0.1', false, false],
  ['127.8.8.8', false, false],
  ['::1', false, false],
  ['::ffff:127.0.0.1', false, false],
  ['fd00:ec2::254', false, false],
  ['64:ff9b::7f00:1', false, false],
  ['2002:7f00:1::', false, false],
  ['93.184.216.34', false, true],
  ['2606:2800:220:1::', false, true],
] as const)('A-140: %s, private: %s', (address, mayBePrivate, isAllowed) => {
  expect(whyNotAddress(address, mayBePrivate) === '').toBe(isAllowed);
});
