import { once } from 'node:events';
import { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Connect } from '../../src/egress/guarded-connect.ts';
import { createNextPiece } from '../../src/next-piece.ts';
import { joinSmallPieces } from '../../src/wire/small-pieces.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { createOpenRequests } from '../connections/open-requests.ts';
import { openAccount } from './account.ts';
import { openEgress } from './open-egress.ts';

afterEach(() => void vi.useRealTimers());

const reachesNothing: Connect = () => Promise.reject(new Error('nothing is reached here'));

function openTestEgress({ idleMs, connect = reachesNothing }: { idleMs?: number; connect?: Connect } = {}) {
  const records: AuditRecord[] = [];
  const refused: string[] = [];
  const egress = openEgress({
    audit: { append: async (record: AuditRecord) => void records.push(record), problem: () => '' },
    ...(idleMs !== undefined && { idleMs }),
    ...{ connect, routes: () => new Map() },
    findLearning: () => undefined,
    secret: () => Promise.reject(new Error('there is none')),
  });
  const way = {
    ...{ execution: '', agent: 'coder', signal: new AbortController().signal, account: openAccount({}) },
    reach: { network: 'docs', allow: [], routes: [] },
    refused: (line: string) => void refused.push(line),
    ...{ hide: (said: string) => said, ended: () => {} },
  };
  return { egress, way, records, refused };
}

test('A-294 P20: connections that are reset while they wait make no more records than others', async () => {
  const { egress, way, records } = openTestEgress();
  const began = performance.now();
  const served: Promise<void>[] = [];
  for (let n = 0; n < 1000; n += 1) {
    const [client] = duplexPair();
    served.push(egress.serve(client, way));
    client.destroy();
    // It is gone before the next one comes.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(served);
  const seconds = (performance.now() - began) / 1000;
  expect(records.length).toBeGreaterThan(64);
  expect(records.length).toBeLessThanOrEqual(256 + 50 * seconds + 1);
});

const mcpHead = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:3128\r\nContent-Type: application/json\r\n';

test('A-445 P17: who loses its door to MCP while its message comes is not served by it', async () => {
  const { egress, way } = openTestEgress();
  let [hasDoor, asked] = [true, 0];
  const door = {
    ...createOpenRequests(createNextPiece()),
    serve: async () => (asked++, new Response('served')),
  };
  const [client, user] = duplexPair();
  const served = egress.serve(client, { ...way, mcp: () => (hasDoor ? door : undefined) }, true);
  user.write(`${mcpHead}Content-Length: 2\r\n\r\n{`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  hasDoor = false;
  user.write('}');
  const answer = await text(user);
  await served;
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(asked).toBe(0);
});

test('A-442 P20: what an agent sends to its door to MCP counts with what it has open elsewhere, until it is over', async () => {
  const { egress, way } = openTestEgress();
  const requests = createOpenRequests(createNextPiece(), { calls: 9, bytes: 10, bytesInAll: 100 });
  const mcp = () => ({ ...requests, serve: async () => new Response('served') });
  const sayTo = (body: string) => {
    const [client, user] = duplexPair();
    const served = egress.serve(client, { ...way, mcp }, true);
    user.write(`${mcpHead}Content-Length: 4\r\n\r\n${body}`);
    return { user, served };
  };
  const silent = sayTo('{');
  const leave = requests.enter('agent:coder', { headers: { 'content-length': '4' } });
  const another = sayTo('{  }');
  expect(await text(another.user)).toMatch(
    /^HTTP\/1\.1 503 clawrden: egress-limit: .*8 bytes of bodies open/,
  );
  silent.user.write('  }');
  expect(await text(silent.user)).toMatch(/^HTTP\/1\.1 200 /);
  await silent.served;
  const last = sayTo('{  }');
  expect(await text(last.user)).toMatch(/^HTTP\/1\.1 200 /);
  await Promise.all([another.served, last.served]);
  leave();
});

test('A-455 P20: of the large messages of an agent to its door to MCP one is read at a time, with a turn for others', async () => {
  const { egress, way } = openTestEgress();
  let [turns, isOver] = [0, false];
  const counting = (async () => {
    for (; !isOver; turns += 1) await turn();
  })();
  const servedAt: number[] = [];
  const serve = async () => (servedAt.push(turns), new Response('served'));
  const requests = createOpenRequests(createNextPiece());
  const body = JSON.stringify({ args: Array.from({ length: 8000 }, () => 'x') });
  const visits = Array.from({ length: 12 }, () => {
    const [client, user] = duplexPair();
    const served = egress.serve(client, { ...way, mcp: () => ({ ...requests, serve }) }, true);
    user.write(`${mcpHead}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
    return { user, served };
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const { user } of visits) user.write('}');
  for (const { user } of visits) expect(await text(user)).toMatch(/^HTTP\/1\.1 200 /);
  await Promise.all(visits.map(({ served }) => served));
  isOver = true;
  await counting;
  expect(new Set(servedAt).size).toBe(12);
});

test('A-299 P22: a message for MCP that never comes does not hold its place for ever', async () => {
  const { egress, way, records } = openTestEgress({ idleMs: 200 });
  const serve = () => Promise.reject(new Error('nothing has come'));
  const mcp = () => ({ ...createOpenRequests(createNextPiece()), serve });
  const [client, user] = duplexPair();
  const served = egress.serve(client, { ...way, mcp }, true);
  user.write(`${mcpHead}Content-Length: 9\r\n\r\n{`);
  const [answer] = (await once(user, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 504 clawrden: egress-late: /);
  user.destroy();
  await served;
  expect(records).toMatchObject([{ to: '/mcp', outcome: 'late' }]);
});

test('A-341 P19: whatever uses a connection of the gateway, it ends with its signal, and is in the audit', async () => {
  const socket = new Socket();
  const { egress, way, records } = openTestEgress({ connect: async () => ({ socket, address: '20.0.0.1' }) });
  const killed = new AbortController();
  const endpoint = { name: 'good.example', port: 80 };
  const used = egress.reaching(
    { ...way, signal: killed.signal },
    { endpoint, secure: false, reach: undefined, why: '' },
    () => new Promise<never>(() => {}),
  );
  setTimeout(() => killed.abort(new Error('killed')), 20);
  await expect(used).rejects.toThrow('killed');
  expect(socket.destroyed).toBe(true);
  expect(records).toMatchObject([{ to: 'good.example:80', outcome: 'stopped' }]);
});

test('A-472 P20: what comes of one agent in tiny pieces has one rate, whatever execution it is of', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  using _ = joinSmallPieces({ warn: () => {} });
  const { egress, way, records } = openTestEgress();
  const door = { ...createOpenRequests(createNextPiece()), serve: async () => new Response('served') };
  const send = async (agent: string, execution: string) => {
    const [client, user] = duplexPair();
    const mine = { ...way, agent, execution, account: openAccount({}), mcp: () => door };
    const served = egress.serve(client, mine, true);
    const body = '1\r\n0\r\n'.repeat(3000);
    user.write(`${mcpHead}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
    user.on('end', () => user.end()).resume();
    await served;
  };
  await send('coder', 'e-1');
  await send('coder', 'e-2');
  await send('writer', 'e-3');
  // It is no JSON, if it is read to its end.
  const isRead = records.map((record) => 'outcome' in record && record.outcome === 'invalid');
  expect(isRead).toEqual([true, false, true]);
});
