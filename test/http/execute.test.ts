import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExecute, type Execute } from '../../gateway/execute.ts';
import type { Execution } from '../../gateway/execution/execution.ts';
import { abortable } from '../../src/abort.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import {
  type ExecutionEvent,
  executionEvent,
  type FinishedExecution,
  finishedExecution,
} from '../../src/http-api/executions.ts';
import { problem } from '../../src/http-api/problem.ts';
import type { Outcome } from '../../src/outcome.ts';
import { smallLimits, startCore, type TestGateway } from '../core/start-core.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

const tools = '  job: { strategy: ghost, image: "i" }\n  del: { strategy: ghost, image: "i", stdin: none }\n';
const rules =
  '  - { name: jobs, tools: [job], action: allow }\n  - { name: dels, tools: [del], action: ask }\n';
const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
const limits = { ...smallLimits, running: 2000, executionsPerAgent: 2000, requestsPerSecond: 5000 };
const exited = (code = 0): Outcome => ({ kind: 'exited', code, signal: 0 });

let dir: string;
let core: TestGateway;
let door: HttpGateway;
let token: string;
let run: (execution: Execution) => Promise<Outcome>;
let execute: Execute;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-http-'));
  run = async () => exited();
  const started = (execution: Execution) => {
    execution.placed('build-1', 'c1');
    execution.started();
    void execution.send({ type: 'started', host: 'build-1', container: 'c1' });
    return run(execution);
  };
  core = await startCore(dir, (_permit, execution) => started(execution), limits, rules, tools);
  execute = createExecute({ ...core, obtainImage: () => Promise.resolve(facts) });
  door = await startHttpGateway({ execute });
  token = door.token('orchestrator');
});
afterEach(async () => {
  await door[Symbol.asyncDispose]();
  await core[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const bytes = (text: string) => Buffer.from(text);

function post(
  body: object,
  more: { accept?: string; signal?: AbortSignal; token?: string } = {},
): Promise<Response> {
  return door.fetch('/api/v1/executions', {
    method: 'POST',
    token: more.token ?? token,
    headers: { 'content-type': 'application/json', accept: more.accept ?? 'application/json' },
    body: JSON.stringify({ agent: '', tool: 'job', args: [], ...body }),
    ...(more.signal && { signal: more.signal }),
  });
}

const lines = 'application/x-ndjson';

async function finished(response: Response): Promise<FinishedExecution> {
  expect(response.status).toBe(200);
  return finishedExecution.parse(await response.json());
}

async function eventsOf(response: Response): Promise<ExecutionEvent[]> {
  const text = await response.text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [executionEvent.parse(JSON.parse(line))]));
}

async function problemOf(response: Response) {
  return problem.parse(await response.json());
}

test('a caller who waits gets the output, as text if it is UTF-8, and the exit code', async () => {
  run = async (execution) => {
    await execution.send({ type: 'stdout', bytes: bytes('grüße\n') });
    await execution.send({ type: 'stderr', bytes: Buffer.from([0xff, 0x00]) });
    return exited(7);
  };
  const id = newExecutionId();
  const answer = await post({ id });
  expect(answer.headers.get('location')).toBe(`/api/v1/executions/${id}`);
  expect(await finished(answer)).toMatchObject({
    id,
    host: 'build-1',
    container: 'c1',
    outcome: { kind: 'exited', exitCode: 7, signal: 0 },
    stdout: { data: 'grüße\n', encoding: 'utf-8', truncated: false },
    stderr: { data: '/wA=', encoding: 'base64', truncated: false },
  });
});

test('P22: an answer holds 1 MiB of each stream, and cuts no character', async () => {
  run = async (execution) => {
    for (let at = 0; at < 40; at += 1)
      await execution.send({ type: 'stdout', bytes: bytes('€'.repeat(20_000)) });
    return exited();
  };
  const { stdout } = await finished(await post({}));
  expect(stdout).toMatchObject({ encoding: 'utf-8', truncated: true });
  expect(stdout.data).toBe('€'.repeat(Math.floor((1024 * 1024) / 3)));
});

test('a caller who reads along sees each event as it comes, and the outcome last', async () => {
  const go = Promise.withResolvers<void>();
  run = async (execution) => {
    await execution.send({ type: 'stdout', bytes: bytes('one\n') });
    await go.promise;
    await execution.send({ type: 'stdout', bytes: bytes('two\n') });
    return exited(3);
  };
  const response = await post({}, { accept: lines });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('one')) text += (await reader.read()).value ?? '';
  expect(text).not.toContain('two');
  go.resolve();
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
  const events = text
    .trim()
    .split('\n')
    .map((line) => executionEvent.parse(JSON.parse(line)));
  expect(events.map(({ type }) => type)).toEqual(['accepted', 'started', 'stdout', 'stdout', 'outcome']);
  expect(events.at(-1)).toMatchObject({ outcome: { kind: 'exited', exitCode: 3 } });
});

test('stdin goes to the tool against its credit, as text or base64, and ends', async () => {
  const input = Buffer.from([...'ab\n'].map((each) => each.charCodeAt(0)).concat(0xff, 0));
  run = async (execution) => {
    const got: Buffer[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    execution.takeInputs((item) => {
      if (item.type === 'stdin') got.push(Buffer.from(item.bytes));
      if (item.type === 'stdin-end') resolve();
      else void execution.send({ type: 'credit', bytes: 2 });
    });
    void execution.send({ type: 'credit', bytes: 2 });
    await promise;
    await execution.send({ type: 'stdout', bytes: Buffer.concat(got) });
    return exited(got.every((each) => each.length <= 2) ? 0 : 1);
  };
  const told = await finished(await post({ stdin: input.toString('base64'), stdinEncoding: 'base64' }));
  expect(told).toMatchObject({ outcome: { exitCode: 0 }, stdout: { data: input.toString('base64') } });
  expect((await finished(await post({ stdin: 'plain' }))).stdout.data).toBe('plain');
  expect((await finished(await post({ stdin: '' }))).stdout.data).toBe('');
  expect((await post({ stdin: 'a', stdinEncoding: 'base64' })).status).toBe(400);
});

test('A-42 P15: the same id twice is 409 and starts once, also at the same time', async () => {
  const id = newExecutionId();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => post({ id }, at % 2 ? {} : { accept: lines })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 7 }, () => 409),
  ]);
  const refused = answers.find(({ status }) => status === 409)!;
  expect(await problemOf(refused)).toMatchObject({ code: 'id-duplicate', execution: id });
  expect((await post({ id })).status).toBe(409);
  expect(core.ran).toHaveLength(1);
});

test('what never started is a problem with its reason code, for who reads along, too', async () => {
  for (const accept of ['application/json', lines]) {
    const denied = await post({ tool: 'nothing' }, { accept });
    expect(denied.headers.get('content-type')).toContain('problem+json');
    expect(await problemOf(denied)).toMatchObject({ status: 403, code: 'tool-unknown' });
    const unknown = await post({ agent: 'nobody' }, { accept });
    expect(await problemOf(unknown)).toMatchObject({ status: 404, code: 'agent-unknown' });
  }
  expect((await post({}, { accept: 'text/html' })).status).toBe(406);
  expect(core.ran).toEqual([]);
});

test('a question is told to who reads along, and answered by somebody else', async () => {
  const reading = post({ tool: 'del' }, { accept: lines }).then(eventsOf);
  await expect.poll(() => core.approvals.pending().length).toBe(1);
  const [{ id, planHash } = { id: '', planHash: '' }] = core.approvals.pending();
  const yes = { verdict: 'approved', via: 'api', reason: '', planHash } as const;
  expect(await core.approvals.resolve(id, { ...yes, by: 'program:orchestrator' })).toMatchObject({
    type: 'own-request',
  });
  await core.approvals.resolve(id, { ...yes, by: 'person:bob' });
  const events = await reading;
  expect(events.map(({ type }) => type)).toEqual(['pending', 'accepted', 'started', 'outcome']);
  expect(events[0]).toMatchObject({ approvalId: id, planHash });
});

/** Runs until it is stopped, and says why it was. */
function untilStopped(): { readonly begun: Promise<void>; readonly reason: Promise<unknown> } {
  const [begun, reason] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
  run = async (execution) => {
    begun.resolve();
    try {
      return await abortable(new Promise<never>(() => {}), execution.signal);
    } catch (error) {
      reason.resolve((error as { code?: unknown }).code);
      throw error;
    }
  };
  return { begun: begun.promise, reason: reason.promise };
}

test.each(['application/json', lines])('P24: the caller gone is a cancel (%s)', async (accept) => {
  const { begun, reason } = untilStopped();
  const leave = new AbortController();
  const call = post({}, { accept, signal: leave.signal }).then((response) => response.text());
  call.catch(() => {});
  await begun;
  leave.abort();
  expect(await reason).toBe('requester-gone');
  await expect(call).rejects.toThrow('abort');
});

test('A-56 P6: a token that is removed ends what runs for its caller', async () => {
  const { begun, reason } = untilStopped();
  const mine = door.token('orchestrator');
  const call = post({}, { token: mine });
  await begun;
  door.remove(mine);
  expect(await reason).toBe('canceled');
  expect((await finished(await call)).outcome).toMatchObject({ kind: 'canceled', reason: 'canceled' });
});

test('A-59 P22: a reader that stalls stops the tool, and the door holds no more than its window', async () => {
  let sent = 0;
  run = async (execution) => {
    while (!execution.signal.aborted && sent < 64 * 1024 * 1024) {
      const chunk = Buffer.alloc(65_536, 97);
      await execution.send({ type: 'stdout', bytes: chunk });
      sent += chunk.length;
    }
    return exited();
  };
  const body = JSON.stringify({ agent: '', tool: 'job', args: [] });
  const socket = connect(door.port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    'POST /api/v1/executions HTTP/1.1',
    `host: 127.0.0.1:${door.port}`,
    `authorization: Bearer ${token}`,
  ];
  const about = [`accept: ${lines}`, 'content-type: application/json', `content-length: ${body.length}`];
  socket.pause();
  socket.write(`${[...head, ...about].join('\r\n')}\r\n\r\n${body}`);
  await expect.poll(() => sent).toBeGreaterThan(0);
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(sent).toBeLessThan(24 * 1024 * 1024);
  socket.destroy();
});

test('P20: a thousand requests over fifty connections lose nothing', async () => {
  run = async (execution) => {
    await execution.send({ type: 'stdout', bytes: bytes(execution.record.id) });
    return exited();
  };
  const ids = Array.from({ length: process.env['CLAWRDEN_LONG'] ? 1000 : 200 }, () => newExecutionId());
  const told: string[] = [];
  const left = [...ids];
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      told.push((await finished(await post({ id }))).stdout.data);
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  expect(told.toSorted()).toEqual(ids.toSorted());
});
