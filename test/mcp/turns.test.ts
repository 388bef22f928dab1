import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOpenRequests } from '../../gateway/connections/open-requests.ts';
import { createMcpDoor } from '../../gateway/mcp/create-mcp-door.ts';
import type { Detached, Underway } from '../../gateway/ports/detached.ts';
import { allAgents } from '../../gateway/ports/principal.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { createFaults } from '../../src/faults.ts';
import { createNextPiece } from '../../src/next-piece.ts';
import { emptyWarden } from '../grpc/gateway.ts';
import { startHttpGateway } from '../http/http-gateway.ts';

const id = newExecutionId();
const call = (name: string, args: object, meta: object = {}) =>
  JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: { id, ...args }, _meta: meta },
  });

async function startDoor(detached: Pick<Detached, 'result' | 'underway'>) {
  const start = () => Promise.reject(new Error('nothing is started here'));
  const mcpPace = { progressMs: 1, heartbeatMs: 20, waitMs: 200, pollMs: 2000 };
  const door = await startHttpGateway({ detached: { start, ...detached }, mcpPace });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return {
    agent: (name: string) => door.token('agent', { name }),
    ask: async (token: string, body: string) =>
      await (await door.fetch('/mcp', { method: 'POST', token, headers, body })).text(),
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  };
}

test('A-441 P20: of the results that one agent reads four are looked for at once, and others wait for none', async () => {
  const go = Promise.withResolvers<void>();
  let [under, most] = [0, 0];
  const result = async (caller: string) => {
    if (caller !== 'agent:busy') return undefined;
    most = Math.max(most, ++under);
    await go.promise;
    under -= 1;
    return undefined;
  };
  await using door = await startDoor({ result, underway: () => undefined });
  const [busy, other] = [door.agent('busy'), door.agent('other')];
  const read = call('read_output', { stream: 'stdout', from: 0, max: 1 });
  const asked = Array.from({ length: 20 }, () => door.ask(busy, read));
  await expect.poll(() => under).toBe(4);
  const unknown = await door.ask(other, read);
  expect(unknown).toContain(id);
  await door.ask(other, call('await_execution', {}));
  go.resolve();
  for (const answer of await Promise.all(asked)) expect(answer).toBe(unknown);
  expect(most).toBe(4);
});

test('A-441 P20: a progressToken that is longer than any client needs is told nothing', async () => {
  const underway: Underway = {
    ...{ question: () => undefined, wasStarted: () => true, kept: () => 0 },
    ...{ behind: () => Buffer.alloc(0), watch: () => {}, ended: new Promise(() => {}) },
  };
  await using door = await startDoor({ result: async () => 'pending', underway: () => underway });
  const agent = door.agent('coder');
  for (const [length, isTold] of [
    [256, true],
    [257, false],
  ] as const) {
    const progressToken = 'p'.repeat(length);
    const answer = await door.ask(agent, call('await_execution', {}, { progressToken }));
    expect(answer).toContain('It goes on');
    expect(answer.includes('notifications/progress')).toBe(isTold);
  }
});

test('A-441 P20: of the requests that one agent brings at once four are begun, and then others have their turn', async () => {
  const begun: number[] = [];
  let at = 0;
  const status = () => {
    begun[at] = (begun[at] ?? 0) + 1;
    return emptyWarden.status();
  };
  const nextPiece = createNextPiece();
  const door = createMcpDoor({
    detached: {
      start: () => Promise.reject(new Error('nothing is started here')),
      ...{ result: async () => undefined, underway: () => undefined },
    },
    warden: { ...emptyWarden, status },
    faults: createFaults({ error: () => {} }),
    ...{ requests: createOpenRequests(nextPiece), nextPiece },
  });
  const caller = { kind: 'agent', name: 'busy', role: 'agent', scope: allAgents } as const;
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const request = () => new Request('http://clawrden/mcp', { method: 'POST', headers });
  const served = Promise.all(
    Array.from({ length: 40 }, async () => {
      const answer = await door.serve({ caller, body, request: request(), drained: () => undefined });
      return await answer.text();
    }),
  );
  let isOver = false;
  const ended = served.finally(() => (isOver = true));
  for (; !isOver; at += 1) await turn();
  for (const answer of await ended) expect(answer).toContain('read_output');
  expect(begun.reduce((sum, each) => sum + each, 0)).toBe(40);
  expect(Math.max(...begun.filter((each) => each > 0))).toBeLessThanOrEqual(4);
});
