import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attach } from '../container/attach.ts';
import { connect, type EngineConnection } from './connect.ts';
import { toEngineError } from './engine-errors.ts';

const never = new AbortController().signal;
let folder: string;
let server: Server;
let connections: Socket[];
let engine: EngineConnection;
/** What the engine answers; it ends the connection behind it, unless it hands that over. */
let answer: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-call-'));
  connections = [];
  server = createServer((socket) => {
    connections.push(socket.on('error', () => {}));
    socket.once('data', () => (answer.includes(' 101 UPGRADED') ? socket.write(answer) : socket.end(answer)));
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve));
  engine = connect({ name: 'h', engine: `unix://${join(folder, 'engine.sock')}` });
});

afterEach(() => {
  engine.close();
  for (const connection of connections) connection.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

const redirection = (to: string) => `HTTP/1.1 301 Moved\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`;
const upgraded = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';
const broken = {
  'no answer': '',
  'a status of 999': 'HTTP/1.1 999 \r\n\r\n',
  'a length below zero': 'HTTP/1.1 500 Broken\r\nContent-Length: -1\r\n\r\n',
  'two lengths': 'HTTP/1.1 500 Broken\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  'half a body': 'HTTP/1.1 500 Broken\r\nContent-Length: 100\r\n\r\n{"mess',
  'half a chunk': 'HTTP/1.1 500 Broken\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nmess',
  'the good status of another call': 'HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}',
  'no HTTP': '\0'.repeat(1000),
  'a redirection': redirection('/elsewhere'),
  'a redirection to nowhere': redirection('ftp://x/'),
  'a redirection that is no address': redirection('http://a:b:c/'),
};
const calls: Record<string, (docker: Docker) => Promise<unknown>> = {
  'a start': (docker) => docker.getContainer('x').start({}),
  'an attach': (docker) => attach(docker.getContainer('x'), never),
  'a stream': (docker) => docker.getImage('x').get(),
};
const each = Object.keys(calls).flatMap((call) => Object.keys(broken).map((text) => [text, call] as const));

// An error that nobody hears of fails the run.
test.each(each)("A-525 P21: %s to %s is that host's fault", async (text, call) => {
  answer = broken[text as keyof typeof broken];
  const failure: unknown = await calls[call]?.(engine.docker).catch((error: unknown) => error);
  expect(toEngineError(failure, 'h').code).toBe('host-lost');
  await setTimeout(20);
});

test('A-525: no redirection of a host makes the gateway ask another server', async () => {
  let asked = 0;
  const other = createHttpServer((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  answer = redirection(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  for (const call of Object.values(calls)) {
    const failure: unknown = await call(engine.docker).catch((error: unknown) => error);
    expect(toEngineError(failure, 'h').code).toBe('host-lost');
  }
  await setTimeout(100);
  expect(asked).toBe(0);
  other.close();
});

test('A-525: a connection that breaks while nobody has it is heard of', async () => {
  answer = upgraded;
  const taken = await attach(engine.docker.getContainer('x'), never);
  const closed = new Promise((resolve) => taken.once('close', resolve));
  taken.destroy(new Error('it was reset'));
  await closed;
});

test('A-525: so is an answer that breaks before it is read', async () => {
  answer = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status":';
  const stream = (await engine.docker.getImage('x').get()) as NodeJS.ReadableStream & AsyncIterable<unknown>;
  await setTimeout(50);
  await expect(Array.fromAsync(stream)).rejects.toThrow();
});
