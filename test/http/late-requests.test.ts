import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createBrowserSessions, sessionLimits } from '../../gateway/browsers/browser-sessions.ts';
import { signIn } from './browser.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';
import { readAnswer } from './raw-http.ts';

let door: HttpGateway;
afterEach(() => door[Symbol.asyncDispose]());

/** Sends the head of a request whose body is still to come. */
async function open(request: string, lines: readonly string[]): Promise<Socket> {
  const socket = connect(door.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = [`${request} HTTP/1.1`, `host: 127.0.0.1:${door.port}`, 'connection: close', ...lines];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

test.each([
  ['PUT /api/v1/lockdown', 'operator', JSON.stringify({ on: false })],
  ['POST /mcp', 'agent', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })],
] as const)(
  'A-302 P17: %s whose body is still coming when its caller is removed is not carried out',
  async (request, role, body) => {
    const acts: string[] = [];
    const setLockdown = async () => {
      acts.push('lockdown');
      return { stopped: 0, unconfirmed: [] };
    };
    door = await startHttpGateway({ warden: { setLockdown } });
    const token = door.token(role);
    const lines = [
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      `content-length: ${body.length}`,
      'expect: 100-continue',
    ];
    const statusOf = async (meanwhile: () => void) => {
      const socket = await open(request, lines);
      // It is said once the caller is known, and before a byte of the body is read.
      expect(String((await once(socket, 'data'))[0])).toContain('100 Continue');
      meanwhile();
      socket.write(body);
      return (await readAnswer(socket)).status;
    };
    expect(await statusOf(() => {})).toBe(200);
    const before = acts.length;
    expect(await statusOf(() => door.remove(token))).toBe(401);
    expect(acts).toHaveLength(before);
  },
);

test('A-303 P20: what a browser leaves while its groups are read is not counted as open', async () => {
  const groups = Promise.withResolvers<void>();
  let asked = 0;
  const sessions = createBrowserSessions(
    async () => {},
    sessionLimits,
    async () => {
      asked += 1;
      await groups.promise;
    },
  );
  door = await startHttpGateway({ sessions });
  const { change, look } = await signIn(door, door.token('operator'));
  const own = Object.entries(change).map(([name, value]) => `${name}: ${value}`);
  // As many bytes as one principal may have open.
  const body = ['content-type: application/json', `content-length: ${2 * 1024 * 1024}`];
  const posts = Array.from({ length: 16 }, () => open('PUT /api/v1/lockdown', [...own, ...body]));
  const gets = Array.from({ length: 20 }, () => open('GET /api/v1/status', own));
  const sockets = await Promise.all([...posts, ...gets]);
  await expect.poll(() => asked, { timeout: 10_000 }).toBe(sockets.length);
  for (const socket of sockets) socket.destroy();
  await sleep(300);
  groups.resolve();
  const status = async () => {
    const lockdown = { method: 'PUT', headers: { ...change, 'content-type': 'application/json' } };
    const put = await door.fetch('/api/v1/lockdown', { ...lockdown, body: '{"on":true}' });
    return [put.status, (await door.fetch('/api/v1/status', { headers: look })).status];
  };
  await expect.poll(status).toEqual([200, 200]);
  expect(door.faults()).toBe(0);
});
