import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { acceptMany } from './accept-many.ts';

async function listening(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function open(port: number): Socket {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  onTestFinished(() => void client.destroy());
  return client;
}

/** Turns of the loop until the server has taken all of so many connections, which the kernel has taken before. */
async function turnsFor(server: Server, port: number, count: number): Promise<number> {
  let taken = 0;
  server.on('connection', () => taken++);
  const clients = Array.from({ length: count }, () => open(port));
  const connected = Promise.all(clients.map((client) => once(client, 'connect')));
  await turn();
  let turns = 0;
  while (taken < count) {
    turns++;
    await turn();
  }
  await connected;
  return turns;
}

test('A-515 P20: a turn takes many newcomers, of whom Node would take one', async () => {
  const plain = createServer();
  expect(await turnsFor(plain, await listening(plain), 192)).toBeGreaterThan(96);

  const many = createServer();
  const port = await listening(many);
  acceptMany(many);
  expect(await turnsFor(many, port, 192)).toBeLessThan(12);
});

test('A-515: who has said all gets the answer by each descriptor, as by the first', async () => {
  const server = createHttpServer((_request, response) => void setImmediate(() => response.end('answered')));
  const port = await listening(server);
  acceptMany(server);
  const answers = Array.from({ length: 64 }, async () => {
    const client = open(port);
    client.end('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    return await text(client);
  });
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/answered/);
});

test('A-515: closing takes no newcomer by any descriptor, and waits for the last who is there', async () => {
  const inside: Socket[] = [];
  const server = createServer((socket) => void inside.push(socket));
  const port = await listening(server);
  acceptMany(server);
  await turnsFor(server, port, 64);

  let isClosed = false;
  server.close(() => void (isClosed = true));
  const [refused] = await once(connect({ port, host: '127.0.0.1' }), 'error');
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  for (const socket of inside) {
    await turn();
    expect(isClosed).toBe(false);
    const ended = once(socket, 'close');
    socket.destroy();
    await ended;
  }
  await vi.waitFor(() => expect(isClosed).toBe(true));
});
