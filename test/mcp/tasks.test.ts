import { resultFromTaskOutcome, type TaskView } from '@modelcontextprotocol/ext-tasks/client';
import { afterEach, expect, test } from 'vitest';
import type { Execution } from '../../gateway/execution/execution.ts';
import { abortable } from '../../src/abort.ts';
import type { Outcome } from '../../src/outcome.ts';
import { type AgentSite, startAgentSite } from './agent-site.ts';
import { callRaw, connectTasks, envelope } from './tasks-client.ts';

const exited = (code = 0): Outcome => ({ kind: 'exited', code, signal: 0 });
const extensions = { 'io.modelcontextprotocol/tasks': {} };

let site: AgentSite;
afterEach(() => site[Symbol.asyncDispose]());

const start = async (run: (execution: Execution) => Promise<Outcome>) => {
  site = await startAgentSite(run, { waitMs: 50 });
};
const textsOf = (result: object) =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text);

test('what outlives its call is a task with the id of the execution, and ends with the same answer', async () => {
  const go = Promise.withResolvers<void>();
  await start(async (execution) => {
    await execution.send({ type: 'stdout', bytes: Buffer.from('all of it') });
    await abortable(go.promise, execution.signal);
    return exited(5);
  });
  await using session = await connectTasks(site.door.url, site.token);
  const call = await session.callTool('execute', { program: 'job', args: [] });
  const id = site.core.ledger.running()[0]?.id;
  expect([call.kind, call.handle?.taskId]).toEqual(['task', id]);
  const seen: TaskView[] = [];
  const settled = call.settle({
    onEvent: (event) => {
      if (event.type === 'task') seen.push(event.task);
      if (seen.length === 2) go.resolve();
    },
  });
  const result = resultFromTaskOutcome((await settled).outcome);
  expect(textsOf(result)).toEqual([
    `state: ended\nid: ${id}\nexit code: 5\nhost: build-1`,
    'stdout, 9 bytes:',
    'all of it',
  ]);
  expect(seen[0]).toMatchObject({ status: 'working', statusMessage: 'running', retentionMs: null });
  expect(seen.at(-1)?.status).toBe('completed');
  expect(seen.at(-1)?.retentionMs).toBeGreaterThanOrEqual(60 * 60 * 1000);
});

test('what ends within its call, or names a time, is answered as for every client', async () => {
  const go = Promise.withResolvers<void>();
  await start(async (execution) => {
    if (execution.record.argv[1] === 'long') await abortable(go.promise, execution.signal);
    return exited();
  });
  await using session = await connectTasks(site.door.url, site.token);
  for (const [args, wait, state] of [
    [['short'], undefined, 'ended'],
    [['long'], 0.05, 'running'],
  ] as const) {
    const call = await session.callTool('execute', {
      program: 'job',
      args: [...args],
      ...(wait && { wait }),
    });
    expect(call.kind).toBe('immediate');
    const [text] = textsOf(resultFromTaskOutcome((await call.settle()).outcome));
    expect(text).toContain(`state: ${state}`);
  }
});

test('A-269 P10: a client that answers the question of a task decides nothing', async () => {
  await start(async () => exited());
  await using session = await connectTasks(site.door.url, site.token);
  for (const [verdict, text] of [
    ['approved', 'exit code: 0'],
    ['denied', '(denied-by-person)'],
  ] as const) {
    const call = await session.callTool('execute', { program: 'del', args: [verdict] });
    const question = site.core.approvals.pending()[0];
    const task = session.task(call.handle?.taskId ?? ('' as never));
    const waiting = await task.snapshot();
    expect(waiting.status).toBe('working');
    expect(waiting.statusMessage).toContain(`approval ${question?.id}`);
    for (const key of [question?.id ?? '', 'approval', call.handle?.taskId ?? ''])
      await task.update({ [key]: { action: 'accept', content: { verdict: 'approved', approve: true } } });
    expect((await task.snapshot()).status).toBe('working');
    expect(site.core.approvals.pending()).toEqual([question]);
    const settled = call.settle();
    await site.answer(verdict);
    const result = resultFromTaskOutcome((await settled).outcome);
    expect(textsOf(result)[0]).toContain(text);
  }
  expect(site.core.ran).toEqual(['del approved']);
});

test('a task is canceled by its client, and says so', async () => {
  const stopped = Promise.withResolvers<string>();
  await start(async (execution) => {
    const cut = (error: Error) => stopped.resolve(error.message);
    return await abortable(new Promise<never>(() => {}), execution.signal).catch((error: Error) => {
      cut(error);
      throw error;
    });
  });
  await using session = await connectTasks(site.door.url, site.token);
  const call = await session.callTool('execute', { program: 'job', args: [] });
  await call.cancel();
  expect(await stopped.promise).toBe('canceled by agent:coder');
  expect((await call.settle()).outcome.status).toBe('cancelled');
  const seen = () => session.task(call.handle?.taskId ?? ('' as never)).snapshot();
  await expect.poll(seen).toMatchObject({
    ...{ status: 'cancelled', statusMessage: 'canceled by agent:coder' },
  });
});

test("A-270 P17: another agent's task does not exist, and a request without the extension hears of no task", async () => {
  const go = Promise.withResolvers<void>();
  await start((execution) => abortable(go.promise, execution.signal).then(() => exited()));
  const { url } = site.door;
  const job = { name: 'execute', arguments: { program: 'job', args: [] } };
  const made = await callRaw(url, site.token, {
    ...{ method: 'tools/call', params: { ...job, _meta: envelope(extensions) } },
  });
  const { taskId } = made.result as { taskId: string };
  expect(made.result).toMatchObject({ resultType: 'task', status: 'working' });
  const ask = (token: string, method: string, id: string, declared: object) =>
    callRaw(url, token, {
      method,
      params: { taskId: id, inputResponses: {}, _meta: envelope(declared) },
    });
  const other = site.door.token('agent', { name: 'other' });
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const none = '0199ffff-0000-7000-8000-000000000000';
    const words = async (id: string) => (await ask(other, method, id, extensions)).error;
    const said = await words(taskId);
    expect(said?.code).toBe(-32_602);
    expect(said?.message.replace(taskId, none)).toBe((await words(none))?.message);
    expect((await ask(site.token, method, taskId, {})).error?.code).toBe(-32_021);
  }
  expect(site.core.ledger.running().map(({ id, state }) => [id, state])).toEqual([[taskId, 'running']]);
  const plain = await callRaw(url, site.token, {
    ...{ method: 'tools/call', params: { ...job, _meta: envelope({}) } },
  });
  expect(plain.result).toMatchObject({ content: [{ text: expect.stringContaining('state: running') }] });
  const former = await site.door.fetch('/mcp', {
    ...{ method: 'POST', token: site.token },
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId } }),
  });
  expect(await former.text()).toContain('-32601');
});
