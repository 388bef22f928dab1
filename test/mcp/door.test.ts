import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { Execution } from '../../gateway/execution/execution.ts';
import { roles } from '../../gateway/ports/principal.ts';
import { callRules } from '../../gateway/principals/call-rules.ts';
import { abortable } from '../../src/abort.ts';
import type { Outcome } from '../../src/outcome.ts';
import { rawHttp, requestText } from '../http/raw-http.ts';
import { type AgentSite, startAgentSite } from './agent-site.ts';
import { clients, idOf } from './clients.ts';

let site: AgentSite;
afterEach(() => site[Symbol.asyncDispose]());

const exited: Outcome = { kind: 'exited', code: 0, signal: 0 };
const start = async (run: (execution: Execution) => Promise<Outcome> = async () => exited) => {
  site = await startAgentSite(run);
};
const untilStopped = (execution: Execution) => abortable(new Promise<never>(() => {}), execution.signal);

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const accept = 'application/json, text/event-stream';

function post(body: unknown, headers: Record<string, string> = {}, token: string | undefined = site.token) {
  return site.door.fetch('/mcp', {
    ...{ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) },
    ...(token !== '' && { token }),
    headers: { 'content-type': 'application/json', accept, ...headers },
  });
}

test('A-245 A-69 P17: MCP is for agents: no token, another role, another site and another host are refused', async () => {
  await start();
  expect((await post(list)).status).toBe(200);
  expect((await post(list, {}, '')).status).toBe(401);
  expect((await post(list, {}, 'clw_none')).status).toBe(401);
  for (const role of roles) {
    const { status, body } = await post(list, {}, site.door.token(role, { name: 'coder' }));
    await body?.cancel();
    expect([role, status]).toEqual([role, role === 'agent' ? 200 : 403]);
  }
  expect((await post(list, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(list, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await post(list, { 'content-type': 'text/plain' })).status).toBe(415);
  const rebound = requestText('/mcp', ['Host: evil.example', `Authorization: Bearer ${site.token}`]);
  expect((await rawHttp(site.door.port, rebound)).status).toBe(421);
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers } = await site.door.fetch('/mcp', { method, token: site.token });
    expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
  }
});

test('P17: the table of roles has every tool of MCP, for agents alone', async () => {
  await start();
  const [, connect] = clients[0] ?? [];
  await using client = await connect?.(site.door.url, site.token);
  const rows = [...callRules].filter(([call]) => call.startsWith('POST /mcp '));
  const tools = rows.map(([call]) => call.slice('POST /mcp '.length)).filter((call) => call !== 'resources');
  expect((await client?.tools())?.toSorted()).toEqual(tools.toSorted());
  expect(new Set(rows.flatMap(([, rule]) => rule.roles))).toEqual(new Set(['agent']));
});

test('A-246 P20: one request is one call: batches, unknown keys and another agent are refused', async () => {
  await start();
  const run = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const call = { ...run, params: { name: 'execute', arguments: { program: 'job', args: [] } } };
  expect((await post([call, call])).status).toBe(400);
  const [, connect] = clients[0] ?? [];
  await using client = await connect?.(site.door.url, site.token);
  for (const more of [
    { agent: 'other' },
    { env: { PATH: '/' } },
    { id: 'x' },
    { wait: 1e9 },
    { args: 'x' },
  ]) {
    const told = await client?.call('execute', { program: 'job', args: [], ...more });
    expect([more, told?.isError]).toEqual([more, true]);
  }
  expect(site.core.ran).toEqual([]);
});

test('A-247 P6: a call ends with its token, and what an agent runs with the last token of the agent', async () => {
  await start(untilStopped);
  const [, connect] = clients[2] ?? [];
  const other = site.door.token('agent', { name: 'coder' });
  await using client = await connect?.(site.door.url, site.token);
  await using second = await connect?.(site.door.url, other);
  const call = client?.call('execute', { program: 'job', args: [] });
  await expect.poll(() => site.core.ledger.running()[0]?.state).toBe('running');
  const id = site.core.ledger.running()[0]?.id ?? '';
  const waiting = second?.call('await_execution', { id }).catch(() => 'cut');
  const at = Date.now();
  site.door.remove(other);
  expect(await waiting).toBe('cut');
  expect(Date.now() - at).toBeLessThan(5000);
  expect(site.core.ledger.running()).toHaveLength(1);
  site.retire();
  expect((await call)?.texts[0]).toContain('agent:coder may call no longer');
});

const crowd = process.env['CLAWRDEN_LONG'] === '1' ? 200 : 60;

test(`A-248 P20: ${crowd} clients of one agent at once each get their own`, async () => {
  await start(async (execution) => {
    const { argv } = execution.record;
    await execution.send({ type: 'stdout', bytes: Buffer.from(argv.join(' ')) });
    return exited;
  });
  const told = await Promise.all(
    Array.from({ length: crowd }, async (_, at) => {
      const [, connect] = clients[at % clients.length] ?? [];
      await using client = await connect?.(site.door.url, site.token);
      return await client?.call('execute', { program: 'job', args: [String(at)] });
    }),
  );
  expect(told.map((each) => each?.texts[2])).toEqual(told.map((_, at) => `job ${at}`));
  expect(new Set(told.flatMap((each) => (each ? [idOf(each)] : []))).size).toBe(crowd);
});

test('A-249 P21: no message breaks it: each has an answer, and the next one is served', async () => {
  await start();
  const json = fc.jsonValue({ maxDepth: 3 });
  const method = fc.constantFrom(
    ...['initialize', 'tools/call', 'tools/list', 'resources/read', 'notifications/cancelled', 'ping', 'x'],
    ...['server/discover', 'subscriptions/listen', 'logging/setLevel', 'completion/complete'],
    ...['tasks/get', 'tasks/cancel', 'tasks/update', 'tasks/list', 'tasks/result'],
  );
  const id = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
  const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  const declared = { 'io.modelcontextprotocol/clientCapabilities': { extensions } };
  const params = fc.oneof(
    json,
    fc.record({ name: fc.constantFrom('execute', 'help', 'x'), arguments: json }),
    json.map((each) => ({ _meta: { ...envelope, x: each } })),
    json.map((each) => ({ taskId: each, _meta: { ...envelope, ...declared } })),
  );
  const message = fc.record({ jsonrpc: fc.constant('2.0'), id, method, params }, { requiredKeys: [] });
  const headers = fc.record(
    {
      'mcp-session-id': fc.constantFrom('a', 'b'),
      'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', 'x'),
      'mcp-method': fc.constantFrom('tools/call', 'tasks/get', 'x'),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, json), headers, async (body, more) => {
      // Most answers end their connection, and one address has a hundred new ones a second.
      await sleep(10);
      const answer = await post(body, more);
      const text = await answer.text();
      expect([answer.status, text]).toEqual([expect.any(Number), expect.any(String)]);
      expect([200, 202, 400, 404, 406]).toContain(answer.status);
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] ? 2000 : 200 },
  );
  expect(site.door.faults()).toBe(0);
  expect((await post(list)).status).toBe(200);
}, 120_000);
