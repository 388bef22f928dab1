import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cancelExecution } from '../../gateway/control/cancel-execution.ts';
import { createDetached, type OpenDetached } from '../../gateway/detached/run-detached.ts';
import { createExecute, createResume } from '../../gateway/execute.ts';
import type { Execution } from '../../gateway/execution/execution.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { type Database, openDatabase } from '../../gateway/store/database.ts';
import { createDetachedRows, detachedLimits } from '../../gateway/store/detached-rows.ts';
import { abortable } from '../../src/abort.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { createFaults } from '../../src/faults.ts';
import { ApiError, connect } from '../../src/http-api/client.ts';
import type { Outcome } from '../../src/outcome.ts';
import { smallLimits, startCore, type TestGateway } from '../core/start-core.ts';
import type { emptyWarden } from '../grpc/gateway.ts';
import { answerOf, ask } from './ask.ts';
import { described } from './described.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

const tools = '  job: { strategy: ghost, image: "i" }\n  del: { strategy: ghost, image: "i", stdin: none }\n';
const rules =
  '  - { name: jobs, tools: [job], action: allow }\n  - { name: dels, tools: [del], action: ask }\n';
const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
const exited = (code = 0): Outcome => ({ kind: 'exited', code, signal: 0 });
const bytes = (text: string) => Buffer.from(text);

let dir: string;
let core: TestGateway;
let database: Database;
let detached: OpenDetached;
let door: HttpGateway;
let run: (execution: Execution) => Promise<Outcome>;
const inForce = new Set(['program:ci', 'program:other']);

async function start(limits = detachedLimits): Promise<void> {
  const started = (execution: Execution) => {
    execution.placed('build-1', 'c1');
    execution.started();
    void execution.send({ type: 'started', host: 'build-1', container: 'c1' });
    return run(execution);
  };
  core = await startCore(dir, (_permit, execution) => started(execution), smallLimits, rules, tools);
  const parts = { ...core, obtainImage: () => Promise.resolve(facts) };
  database = await openDatabase(join(dir, 'clawrden.db'), 'power-loss');
  const [execute, resume] = [createExecute(parts), createResume(core.ledger)];
  const rows = createDetachedRows(database, limits);
  const faults = createFaults({ error: () => {} });
  const log = { warn: () => {} };
  detached = createDetached({ ...core, execute, resume, rows, inForce: () => inForce, faults, log });
  await restoreWaiting(parts, core.approvals, core.records);
  await detached.restore();
  const warden = {
    running: () => core.ledger.running(),
    execution: core.history.find,
    cancel: (id: string, by: Parameters<typeof emptyWarden.cancel>[1]) =>
      cancelExecution(core.ledger, id, by),
  };
  door = await startHttpGateway({ execute, detached, warden });
}

/** As a gateway that is killed, or that drains, leaves it. */
async function stop(): Promise<void> {
  await door[Symbol.asyncDispose]();
  await detached.close();
  await database.destroy();
  await core[Symbol.asyncDispose]();
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-detached-'));
  run = async () => exited();
  await start();
});
afterEach(async () => {
  await stop();
  await rm(dir, { recursive: true, force: true });
});

const client = (name = 'ci') => connect({ url: door.url, token: door.token('orchestrator', { name }) });
const job = (more = {}) => ({ agent: '', tool: 'job', args: [], ...more });
const codeOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => undefined,
    (each: unknown) => each,
  );
  expect(error).toBeInstanceOf(ApiError);
  const { code, status } = (error as ApiError).problem;
  return code ?? status;
};

/** Runs until it is stopped, and says why it was. */
function untilStopped(): { readonly reason: Promise<string> } {
  const reason = Promise.withResolvers<string>();
  run = async (execution) => {
    await execution.send({ type: 'stdout', bytes: bytes('begun\n') });
    try {
      return await abortable(new Promise<never>(() => {}), execution.signal);
    } catch (error) {
      reason.resolve((error as Error).message);
      throw error;
    }
  };
  return { reason: reason.promise };
}

test('A-444: only what is detached is kept, and so masked whatever its plan says', async () => {
  const found: boolean[] = [];
  run = async ({ isKept }) => (found.push(isKept), exited());
  const token = door.token('orchestrator', { name: 'ci' });
  for (const prefer of ['respond-async', 'wait=30']) {
    const headers = { 'content-type': 'application/json', prefer };
    await door.fetch('/api/v1/executions', { method: 'POST', token, body: JSON.stringify(job()), headers });
    await expect.poll(() => found.length).toBe(prefer === 'wait=30' ? 2 : 1);
  }
  expect(found).toEqual([true, false]);
});

test('a detached execution is answered at once, runs on without its caller, and keeps its result', async () => {
  const go = Promise.withResolvers<void>();
  run = async (execution) => {
    await go.promise;
    await execution.send({ type: 'stdout', bytes: bytes('grüße\n') });
    await execution.send({ type: 'stderr', bytes: Buffer.alloc(1_100_000, 0xff) });
    return exited(3);
  };
  const token = door.token('orchestrator', { name: 'ci' });
  const answer = await door.fetch('/api/v1/executions', {
    ...{ method: 'POST', token, body: JSON.stringify(job()) },
    headers: { 'content-type': 'application/json', prefer: 'wait=5, respond-async' },
  });
  expect(answer.status).toBe(202);
  const told = (await answer.json()) as { id: string };
  expect(described().faultsOf('runExecution', 'application/json', told, 202)).toEqual([]);
  expect(answer.headers.get('location')).toBe(`/api/v1/executions/${told.id}`);
  const params = { id: told.id };
  expect(await ask(door, 'executionResult', { token, params })).toMatchObject({ problem: { status: 409 } });
  expect(await answerOf(door, 'execution', { token, params })).toMatchObject({ state: 'running' });
  go.resolve();
  await expect
    .poll(() => client().result(told.id))
    .toMatchObject({
      ...{ id: told.id, host: 'build-1', outcome: { kind: 'exited', exitCode: 3 } },
      stdout: { data: 'grüße\n', encoding: 'utf-8', truncated: false },
      stderr: { encoding: 'base64', truncated: true },
    });
  expect(await answerOf(door, 'executionResult', { token, params })).toMatchObject({ id: told.id });
});

test('its input goes to the tool; more than 1 MiB is refused', async () => {
  run = async (execution) => {
    const got: Buffer[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    execution.takeInputs((item) => {
      if (item.type === 'stdin') got.push(Buffer.from(item.bytes));
      if (item.type === 'stdin-end') resolve();
      else void execution.send({ type: 'credit', bytes: 3 });
    });
    void execution.send({ type: 'credit', bytes: 3 });
    await promise;
    await execution.send({ type: 'stdout', bytes: Buffer.concat(got) });
    return exited();
  };
  const { id } = await client().start(job({ stdin: 'all of it' }));
  expect((await client().result(id)).stdout.data).toBe('all of it');
  expect(await codeOf(client().start(job({ stdin: 'a'.repeat(1024 * 1024 + 1) })))).toBe('too-large');
});

test('P15: what is refused is a problem at once, and starts nothing; an id starts once', async () => {
  expect(await codeOf(client().start(job({ tool: 'nothing' })))).toBe('tool-unknown');
  const id = newExecutionId();
  const codes = await Promise.all(
    ['ci', 'ci', 'other', 'ci', 'other'].map((name) =>
      client(name)
        .start(job({ id }))
        .then(
          () => 'begun',
          (error: unknown) => (error as ApiError).problem.code,
        ),
    ),
  );
  expect(codes.map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'begun',
    ...Array.from({ length: 4 }, () => 'id-duplicate'),
  ]);
  expect(core.ran).toEqual(['job']);
  const name = ['ci', 'ci', 'other', 'ci', 'other'][codes.indexOf('begun')];
  expect((await client(name).result(id)).id).toBe(id);
});

test('P2 P3: a result, a look and a cancel are for who started it; others hear what they hear of an unknown one', async () => {
  const { reason } = untilStopped();
  const { id } = await client().start(job());
  const words = async (
    token: string,
    name: 'execution' | 'executionResult' | 'cancelExecution',
    of: string,
  ) => {
    const told = await ask(door, name, { token, params: { id: of } });
    return 'problem' in told ? told.problem.detail.replace(of, 'ID') : told;
  };
  const other = door.token('orchestrator', { name: 'other' });
  const scoped = door.token('operator', { scope: { team: 'web' } });
  for (const token of [other, scoped])
    for (const name of ['execution', 'executionResult', 'cancelExecution'] as const)
      expect(await words(token, name, id)).toEqual(await words(token, name, newExecutionId()));
  const own = door.token('orchestrator', { name: 'ci' });
  expect(await answerOf(door, 'cancelExecution', { token: own, params: { id } })).toMatchObject({
    ...{ id, state: 'ended', reason: 'canceled', text: 'canceled by program:ci' },
  });
  expect(await reason).toBe('canceled by program:ci');
  expect(await answerOf(door, 'cancelExecution', { token: own, params: { id } })).toMatchObject({
    state: 'ended',
  });
  expect((await client().result(id)).outcome).toMatchObject({ kind: 'canceled' });
});

test('an operator cancels what others started', async () => {
  const { reason } = untilStopped();
  const { id } = await client().start(job());
  await answerOf(door, 'cancelExecution', {
    token: door.token('operator', { name: 'otto' }),
    params: { id },
  });
  expect(await reason).toBe('canceled by person:otto');
});

test('A-56 P6: it ends when its principal may call no longer', async () => {
  const { reason } = untilStopped();
  inForce.add('program:gone');
  const { id } = await client('gone').start(job());
  inForce.delete('program:gone');
  expect(await reason).toBe('program:gone may call no longer');
  expect((await client('gone').result(id)).outcome).toMatchObject({ kind: 'canceled' });
});

test('what ran when its gateway ended has a result that says so', async () => {
  untilStopped();
  const { id } = await client().start(job());
  await expect.poll(() => core.ledger.running()[0]?.state).toBe('running');
  await stop();
  await start();
  expect(await client().result(id)).toMatchObject({
    ...{
      outcome: { kind: 'failed', reason: 'gateway-lost' },
      host: 'build-1',
      stdout: { data: '', truncated: true },
    },
  });
});

test('P15: its question lives across a restart', async () => {
  run = async (execution) => {
    await execution.send({ type: 'stdout', bytes: bytes('done\n') });
    return exited(5);
  };
  const { id } = await client().start(job({ tool: 'del' }));
  expect(core.approvals.pending()).toHaveLength(1);
  await core.ledger.drain();
  await stop();
  await start();
  const [{ id: approval, planHash } = { id: '', planHash: '' }] = core.approvals.pending();
  const token = door.token('orchestrator', { name: 'ci' });
  expect(await ask(door, 'executionResult', { token, params: { id } })).toMatchObject({
    problem: { status: 409 },
  });
  const yes = { verdict: 'approved', via: 'api', reason: '', planHash, by: 'person:bob' } as const;
  expect(await core.approvals.resolve(approval, yes)).toMatchObject({ type: 'resolved' });
  expect(await client().result(id)).toMatchObject({ outcome: { exitCode: 5 }, stdout: { data: 'done\n' } });
  expect(core.ran).toEqual(['del']);
});

test('P22: results are bounded: the oldest go first', async () => {
  await stop();
  await start({ keepMs: 60_000, bytes: 25_000 });
  run = async (execution) => {
    await execution.send({ type: 'stdout', bytes: Buffer.alloc(1000, 97) });
    return exited();
  };
  const ids: string[] = [];
  for (let at = 0; at < 30; at += 1) {
    const { id } = await client().start(job());
    await client().result(id);
    ids.push(id);
  }
  expect((await client().result(ids.at(-1) ?? '')).stdout.data).toHaveLength(1000);
  expect(await codeOf(client().result(ids[0] ?? ''))).toBe(404);
});
