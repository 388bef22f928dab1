import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { newSocketPace, serveSocket } from './socket.ts';

const hour = 3_600_000;

afterEach(() => void vi.useRealTimers());

/** A connection that Slack has said hello on. */
async function connect() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const [opened, stopping] = [Promise.withResolvers<void>(), new AbortController()];
  const received: unknown[] = [];
  const parts = {
    ...{ opened: opened.resolve, signal: stopping.signal, pace: newSocketPace() },
    mayBePrivate: true,
    received: (payload: unknown) => void received.push(payload),
  };
  const ended = serveSocket(`ws://127.0.0.1:${port}`, parts).then(({ why }) => why);
  const [peer] = await connected;
  peer.send('{"type":"hello"}');
  await opened.promise;
  return {
    peer,
    ended,
    received,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await ended;
      server.close();
    },
  };
}

test('A-542 P26: a wall clock that is set ahead ends no connection', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  await using connection = await connect();
  vi.setSystemTime(Date.now() + hour);
  const pinged = once(connection.peer, 'ping').then(() => 'pinged');
  vi.advanceTimersByTime(15_000);
  expect(await Promise.race([pinged, connection.ended])).toBe('pinged');
});

test('A-542 P26: nobody is missed for longer because a wall clock is set back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
  await using connection = await connect();
  vi.setSystemTime(Date.now() - hour);
  // No answer to a ping comes within this turn.
  vi.advanceTimersByTime(60_000);
  expect(await connection.ended).toBe('the connection was closed');
});

const envelope = JSON.stringify({ type: 'interactive', envelope_id: 'e', payload: { type: 'x' } });
const floods: Record<string, (peer: WebSocket) => void> = {
  'empty messages': (peer) => peer.send(''),
  'answers to no ping': (peer) => peer.pong(),
  'messages of no kind': (peer) => peer.send('{"type":"x"}'),
  envelopes: (peer) => peer.send(envelope),
  'large messages': (peer) => peer.send('['.repeat(200_000)),
};

test.each(Object.entries(floods))(
  'A-615 P20: a service that floods with %s loses its connection',
  async (_, send) => {
    await using connection = await connect();
    for (let n = 0; n < 5000 && connection.peer.readyState === connection.peer.OPEN; n += 1) {
      send(connection.peer);
      if (n % 100 === 0) await new Promise(setImmediate);
    }
    expect(await connection.ended).toContain('far more than people write');
    expect(connection.received.length).toBeLessThan(1000);
  },
);

test('A-615: many presses at once are all taken', async () => {
  await using connection = await connect();
  for (let n = 0; n < 400; n += 1) connection.peer.send(envelope);
  await expect.poll(() => connection.received.length).toBe(400);
});
