import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';
import { rawHttp } from './raw-http.ts';

let door: HttpGateway;
/** Looks that are worked on. */
let working = 0;
let mostWorking = 0;
const freed = Promise.withResolvers<void>();

beforeAll(async () => {
  const execution = async () => {
    working += 1;
    mostWorking = Math.max(mostWorking, working);
    await freed.promise;
    working -= 1;
    return undefined;
  };
  door = await startHttpGateway({ warden: { execution } });
});
afterAll(() => door[Symbol.asyncDispose]());

function requests(path: string, token: string, count: number): string {
  const authorization = token === '' ? '' : `authorization: Bearer ${token}\r\n`;
  const one = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${door.port}\r\n${authorization}\r\n`;
  return one.repeat(count);
}

const answersIn = (text: string) => text.split('HTTP/1.1 ').length - 1;

test.each<[string, '' | 'viewer', string]>([
  ['without a token', '', '/x'],
  ['with a token', 'viewer', '/api/v1/openapi.json'],
])('A-114 P20: of requests %s that come in a row, one at most has an answer', async (_who, role, path) => {
  const token = role === '' ? '' : door.token(role);
  const { text } = await rawHttp(door.port, requests(path, token, 10_000), '127.0.9.1');
  expect(answersIn(text)).toBeLessThanOrEqual(1);
});

test('A-114 P20: an address that sends requests in a row may connect less often, another one as before', async () => {
  const crowded = () => door.log.filter((line) => line.includes('its address connects too often')).length;
  // Of the 200 connections that an address may make at once, each of these counts for 50.
  const crowd = () => rawHttp(door.port, requests('/x', '', 100), '127.0.9.2');
  for (let n = 0; n < 5; n++) await Promise.all(Array.from({ length: 8 }, crowd));
  const refused = crowded();
  expect(refused).toBeGreaterThan(0);
  const single = requests('/x', '', 1).replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n');
  for (let n = 0; n < 8; n++)
    expect(await rawHttp(door.port, single, '127.0.9.3')).toHaveProperty('status', 404);
  expect(crowded()).toBe(refused);
});

test('A-114 P20: four looks of one principal are worked on at once, and no one else waits for them', async () => {
  const [viewer, other] = [door.token('viewer'), door.token('viewer', { name: 'other' })];
  const look = (token: string) => door.fetch(`/api/v1/executions/${newExecutionId()}`, { token });
  const looks = Array.from({ length: 20 }, () => look(viewer));
  await expect.poll(() => working, { timeout: 5000 }).toBe(4);
  looks.push(look(other));
  await expect.poll(() => working, { timeout: 5000 }).toBe(5);
  freed.resolve();
  for (const answer of looks) expect((await answer).status).toBe(404);
  expect(mostWorking).toBe(5);
});

test('A-128 P20: streams of one principal leave room for others at its address', async () => {
  await using small = await startHttpGateway({
    limits: { connections: 64, perAddress: 8, requestsPerSecond: 1000 },
  });
  const [greedy, other] = [small.token('viewer'), small.token('viewer', { name: 'other' })];
  const streams = Array.from({ length: 8 }, () => small.fetch('/api/v1/events', { token: greedy }));
  for (const stream of streams) expect((await stream).status).toBe(200);
  for (let n = 0; n < 3; n++) {
    const close = { headers: { connection: 'close' } };
    expect((await small.fetch('/api/v1/status', { token: other, ...close })).status).toBe(200);
    expect((await small.fetch('/healthz', close)).status).toBe(200);
  }
  for (const stream of streams)
    await (await stream).body?.cancel().catch(() => {
      // It was one of those that made room.
    });
});

test('A-519 P20: streams of many principals, which together have all connections, keep out nobody', async () => {
  await using small = await startHttpGateway({
    limits: { connections: 64, perAddress: 16, requestsPerSecond: 1000 },
  });
  const tokens = Array.from({ length: 8 }, (_, n) => small.token('viewer', { name: `many${n}` }));
  const streams = [];
  for (let n = 0; n < 72; n++) {
    const socket = connect({ port: small.port, host: '127.0.0.1', localAddress: `127.0.8.${1 + (n % 8)}` });
    socket.on('error', () => {});
    streams.push(socket);
    const token = `authorization: Bearer ${tokens[n % 8]}`;
    socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: 127.0.0.1:${small.port}\r\n${token}\r\n\r\n`);
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  }
  const other = small.token('viewer', { name: 'other' });
  for (let n = 0; n < 3; n++) {
    const close = { headers: { connection: 'close' } };
    expect((await small.fetch('/api/v1/status', { token: other, ...close })).status).toBe(200);
  }
  expect(streams.filter((socket) => !socket.closed).length).toBeGreaterThan(32);
  for (const socket of streams) socket.destroy();
});

test('A-115: a body that is cut off is no fault of ours', async () => {
  const token = door.token('operator');
  const head = requests('/api/v1/executions', token, 1).replace('GET', 'POST').slice(0, -2);
  for (let n = 0; n < 3; n++) {
    const socket = connect(door.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${head}content-type: application/json\r\ncontent-length: 2000\r\n\r\n{`);
    await sleep(50);
    socket.destroy();
  }
  expect((await door.fetch('/api/v1/status', { token })).status).toBe(200);
  expect(door.faults()).toBe(0);
});
