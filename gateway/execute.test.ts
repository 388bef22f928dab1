import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClawrdenError } from '../src/errors.ts';
import { newExecutionId } from '../src/execution-id.ts';
import type { Outcome } from '../src/outcome.ts';
import { decide } from '../src/policy/decide.ts';
import { parsePolicy } from '../src/policy/parse-policy.ts';
import type { Policy } from '../src/policy/policy.ts';
import { createApprovalStore } from './approvals/approval-store.ts';
import { type Approvals, createApprovals } from './approvals/approvals.ts';
import { openAuditLog } from './audit/audit-log.ts';
import type { Caller } from './caller.ts';
import type { Channel, FromCaller, StartRequest, ToCaller } from './channel.ts';
import { createExecute, createResume, type ExecuteParts } from './execute.ts';
import { returnWithinMs } from './execution.ts';
import type { Executor } from './executors/executor.ts';
import { factsOf } from './judge.ts';
import { type KillSwitch, openKillSwitch } from './kill-switch.ts';
import { createLedger } from './ledger.ts';
import { createRecorder } from './recorder.ts';
import { restoreWaiting } from './restore.ts';
import { openDatabase } from './store/database.ts';
import { type History, openHistory } from './store/history.ts';

const limits = {
  running: 10,
  queued: 10,
  pendingPerAgent: 5,
  executionsPerAgent: 5,
  queueTimeoutMs: 1000,
  startTimeoutMs: 1000,
};
const policyText = `
version: 1
default: deny
workspace: /app
timeout: 5m
approval: { expires: 10m }
environment: { allow: [LANG] }
tools:
  run: { strategy: mirror }
  ask: { strategy: mirror }
rules:
  - { name: may-run, tools: [run], action: allow }
  - { name: must-ask, tools: [ask], action: ask }
complete: true
`;
const relay: Caller = { kind: 'relay', name: 'host-1', role: 'relay' };
const operator: Caller = { kind: 'operator', name: 'admin', role: 'admin' };

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-execute-'));
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

interface TestGateway extends ExecuteParts, AsyncDisposable {
  readonly approvals: Approvals;
  readonly history: History;
  readonly killSwitch: KillSwitch;
  readonly ran: string[];
}

/** The core on real files, with an executor that notes what it was given; the same folder is a restart. */
async function startCore(
  run: Executor = () => Promise.resolve({ kind: 'exited', code: 7, signal: 0 }),
): Promise<TestGateway> {
  const result = parsePolicy(policyText, 'policy.yaml');
  if (!('policy' in result)) throw new Error(result.problems.join('\n'));
  const { policy } = result;
  const audit = await openAuditLog(join(dir, 'audit.jsonl'));
  const database = await openDatabase(join(dir, 'clawrden.db'));
  const history = openHistory(database);
  const store = createApprovalStore(database);
  const approvals = createApprovals(store, limits.pendingPerAgent);
  const ledger = createLedger(history, limits);
  const recorder = createRecorder(audit, policy.hash);
  const killSwitch = await openKillSwitch({
    database,
    audit,
    ledger,
    tellRelays: () => {},
    relaysHalted: () => new Map(),
  });
  const ran: string[] = [];
  const executor: Executor = (permit, execution) => {
    ran.push(permit.sealed.plan.argv.join(' '));
    return run(permit, execution);
  };
  return {
    policy,
    agents: new Map([['coder', coder]]),
    halted: killSwitch.refusal,
    ledger,
    recorder,
    authorizing: authorizing(policy, approvals, store, recorder),
    resolveImage: () => Promise.reject(new ClawrdenError('image-missing', 'no images here')),
    executors: { ghost: executor, mirror: executor, passthrough: executor },
    approvals,
    history,
    killSwitch,
    ran,
    [Symbol.asyncDispose]: async () => {
      await audit.close();
      await history.close();
    },
  };
}

const coder = {
  name: 'coder',
  relay: 'host-1',
  users: [{ uid: 1000, gid: 1000 }],
  labels: {},
  cwd: '/app',
  hosts: {},
} as const;

function authorizing(
  policy: Policy,
  approvals: Approvals,
  store: ReturnType<typeof createApprovalStore>,
  recorder: ReturnType<typeof createRecorder>,
): ExecuteParts['authorizing'] {
  return {
    approvals,
    approvalExpiresMs: policy.approvalExpiresMs,
    grantedBy: store.grantedBy,
    decideAgain: (plan) => decide(policy, factsOf(plan)),
    recordVerdict: recorder.verdict,
  };
}

function request(tool: string, change: Partial<StartRequest> = {}): StartRequest {
  return {
    executionId: newExecutionId(),
    agent: 'coder',
    command: {
      tool,
      args: [],
      cwd: '/app',
      env: [],
      umask: 18,
      stdio: ['null', 'pipe', 'pipe'],
      ignored: [],
      version: 1,
    },
    identity: { uid: 1000, gid: 1000 },
    hostLabels: {},
    ...change,
  };
}

interface TestChannel extends Channel {
  readonly said: ToCaller[];
  readonly leave: (code: 'requester-gone' | 'canceled') => void;
  readonly type: (input: FromCaller) => void;
}

function openChannel(): TestChannel {
  const gone = new AbortController();
  const said: ToCaller[] = [];
  let handler: (input: FromCaller) => void = () => {};
  return {
    gone: gone.signal,
    said,
    send: (item) => void said.push(item),
    listen: (listener) => {
      handler = listener;
    },
    leave: (code) => gone.abort(new ClawrdenError(code, 'left')),
    type: (input) => handler(input),
  };
}

function audit(): Record<string, unknown>[] {
  const lines = readFileSync(join(dir, 'audit.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('P25: the decision is on the disk before the executor is called', async () => {
  let before: unknown[] = [];
  await using core = await startCore((): Promise<Outcome> => {
    before = audit().map(({ type }) => type);
    return Promise.resolve({ kind: 'exited', code: 7, signal: 0 });
  });
  expect(await createExecute(core)(relay, request('run'), openChannel())).toEqual({
    kind: 'exited',
    code: 7,
    signal: 0,
  });
  expect(before).toEqual(['decision']);
  expect(audit().map(({ type, decision, code }) => [type, decision ?? code])).toEqual([
    ['decision', 'allow'],
    ['outcome', 7],
  ]);
});

test.each([
  ['tool-unknown', request('other')],
  ['identity-agent', request('run', { agent: 'foreign' })],
  ['identity-user', request('run', { identity: { uid: 1001, gid: 1000 } })],
  ['identity-root', request('run', { identity: { uid: 0, gid: 0 } })],
  ['cwd-outside', request('run', { command: { ...request('run').command, cwd: '/app/../etc' } })],
  [
    'identity-mismatch',
    request('run', { refusal: new ClawrdenError('identity-mismatch', 'claims 0, is 1000') }),
  ],
])('%s is one denial in the audit, and nothing runs', async (code, start) => {
  await using core = await startCore();
  expect(await createExecute(core)(relay, start, openChannel())).toMatchObject({
    kind: 'denied',
    reason: code,
  });
  expect(audit().filter(({ decision }) => decision === 'deny')).toHaveLength(1);
  expect(core.ran).toEqual([]);
});

test('P15: an id starts once, also after a restart', async () => {
  const start = request('run');
  {
    await using core = await startCore();
    const execute = createExecute(core);
    expect((await execute(relay, start, openChannel())).kind).toBe('exited');
    expect(await execute(relay, start, openChannel())).toMatchObject({ reason: 'id-duplicate' });
  }
  await using again = await startCore();
  expect(await createExecute(again)(relay, start, openChannel())).toMatchObject({ reason: 'id-duplicate' });
  expect(again.ran).toEqual([]);
});

test('an interrupt before the start ends it as by that signal', async () => {
  await using core = await startCore();
  const channel = openChannel();
  const running = createExecute(core)(relay, request('ask'), channel);
  await vi.waitUntil(() => core.approvals.pending().length === 1);
  channel.type({ type: 'signal', signal: 2 });
  expect(await running).toEqual({ kind: 'interrupted', signal: 2 });
  expect(core.ran).toEqual([]);
});

async function untilAsked(core: TestGateway): Promise<string> {
  await vi.waitUntil(() => core.approvals.pending().length === 1);
  return core.approvals.pending()[0]?.id ?? '';
}

const yes = { verdict: 'approved', by: 'operator:admin', via: 'api', reason: '' } as const;

test('a caller that was cut off while a person is asked comes back and has its command run, once', async () => {
  await using core = await startCore();
  const start = request('ask');
  const first = openChannel();
  const running = createExecute(core)(relay, start, first);
  const id = await untilAsked(core);
  first.leave('requester-gone');
  await core.approvals.resolve(id, yes);
  await vi.waitUntil(() => audit().some(({ type }) => type === 'verdict'));
  expect(core.ran).toEqual([]);
  const second = openChannel();
  const { planHash } = first.said.find(({ type }) => type === 'pending') as { planHash: string };
  const resumed = createResume(core.ledger)(relay, { executionId: start.executionId, planHash }, second);
  expect(await resumed).toEqual({ kind: 'exited', code: 7, signal: 0 });
  expect(await running).toEqual(await resumed);
  expect(core.ran).toEqual(['ask']);
});

test('a caller that cancels while a person is asked has its question void', async () => {
  await using core = await startCore();
  const channel = openChannel();
  const running = createExecute(core)(relay, request('ask'), channel);
  const id = await untilAsked(core);
  channel.leave('canceled');
  expect(await running).toMatchObject({ kind: 'canceled', reason: 'canceled' });
  expect((await core.approvals.resolve(id, yes)).type).toBe('already-resolved');
  expect(audit().find(({ type }) => type === 'verdict')).toMatchObject({ verdict: 'void' });
});

test('A-46: after a restart nothing runs until the caller is back, with the plan it was told', async () => {
  const start = request('ask');
  let planHash = '';
  {
    const core = await startCore();
    const channel = openChannel();
    void createExecute(core)(relay, start, channel);
    await untilAsked(core);
    planHash = (channel.said[0] as { planHash: string }).planHash;
    await core.history.close();
  }
  await using core = await startCore();
  expect(await restoreWaiting(core, core.approvals, core.history)).toBe(1);
  const resume = createResume(core.ledger);
  const wrong = await resume(relay, { executionId: start.executionId, planHash: 'other' }, openChannel());
  expect(wrong).toMatchObject({ reason: 'resume-void' });
  await core.approvals.resolve(await untilAsked(core), yes);
  expect(core.ran).toEqual([]);
  const outcome = await resume(relay, { executionId: start.executionId, planHash }, openChannel());
  expect(outcome).toMatchObject({ kind: 'exited' });
  expect(core.ran).toEqual(['ask']);
});

test('A-46: a caller that does not come back after a restart leaves its question void', async () => {
  {
    const core = await startCore();
    void createExecute(core)(relay, request('ask'), openChannel());
    await untilAsked(core);
    await core.history.close();
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await using core = await startCore();
  await restoreWaiting(core, core.approvals, core.history);
  expect(core.approvals.pending()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(returnWithinMs + 1);
  vi.useRealTimers();
  await vi.waitUntil(() => core.ledger.executions().length === 0);
  expect(core.approvals.pending()).toEqual([]);
  expect(core.ran).toEqual([]);
});

test('A-72: a killed agent is refused, its work ends, and it stays killed after a restart', async () => {
  {
    await using core = await startCore(
      (_permit, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    );
    const running = createExecute(core)(relay, request('run'), openChannel());
    await vi.waitUntil(() => core.ran.length === 1);
    expect(await core.killSwitch.set('coder', 'killed', operator, 'frightened')).toEqual({
      stopped: 1,
      unconfirmed: [],
    });
    expect(await running).toMatchObject({ kind: 'canceled', text: 'killed by operator:admin' });
  }
  await using core = await startCore();
  const execute = createExecute(core);
  expect(await execute(relay, request('run'), openChannel())).toMatchObject({ reason: 'agent-killed' });
  await core.killSwitch.set('coder', 'active', operator, '');
  expect((await execute(relay, request('run'), openChannel())).kind).toBe('exited');
  expect(audit().filter(({ type }) => type === 'control')).toMatchObject([
    { agent: 'coder', state: 'killed', by: 'operator:admin', reason: 'frightened' },
    { agent: 'coder', state: 'active' },
  ]);
});
