import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import type { Principal } from '../../gateway/ports/principal.ts';
import type { PendingApproval, ShownVerdict } from '../../gateway/ports/verdict.ts';
import { loadRelayConfig } from '../../src/config/relay-config.ts';
import { canonicalJson, type Operand, type Plan } from '../../src/plan.ts';
import { recordable } from '../../src/recordable-command.ts';
import { startTestGateway } from '../grpc/gateway.ts';
import { clawrden, contextOf } from './clawrden.ts';

const hostile = ['npm', '\u001b[2J\u001b[1;1HOK safe', '\u202egnp.exe', 'a\nApprove: yes', '\u009b2J'];
const operands: readonly Operand[] = [
  { path: 'x.sh', digest: 'ab12', file: '/app/x.sh' },
  { path: 'y.sh is /app/y.sh', digest: 'cd34', file: '/app/\u202ehs.z' },
  { path: 'z\n.sh', notInspected: 'it is \u001b[2J too large' },
  { notInspected: 'what node -e runs' },
];
const plan: Plan = {
  agent: 'coder',
  argv: hostile,
  env: ['LANG=C'],
  cwd: '/app',
  workspace: '/app',
  uid: 1000,
  gid: 1000,
  umask: 0o22,
  strategy: 'ghost',
  image: { reference: 'node:24', id: 'sha256:0' },
  mounts: [{ kind: 'volume', source: 'coder-app', target: '/app' }],
  network: 'none',
  limits: { memoryBytes: 1, cpus: 1, pids: 1, outputBytes: 0, fileBytes: 0 },
  stdin: 'none',
  timeoutMs: 1000,
  idleTimeoutMs: 0,
  policyHash: 'p',
  operands,
};
const received = Date.parse('2026-11-21T08:00:00Z');
const record: ExecutionRecord = {
  id: '0199f3a1-b2c3-7abc-8def-000000000001',
  caller: 'relay:host-7',
  agent: 'coder',
  argv: hostile,
  cwd: '/app',
  uid: 1000,
  gid: 1000,
  state: 'ended',
  decision: 'ask',
  rule: 'install',
  decisionReason: 'fetches code',
  strategy: 'ghost',
  host: 'build-1',
  container: 'c',
  planHash: 'h',
  plan: canonicalJson(plan),
  approvalId: 'a1',
  approver: 'person:admin',
  outcome: 'exited',
  exitCode: 3,
  exitSignal: 0,
  reason: '',
  text: '',
  receivedAt: received,
  decidedAt: received + 5,
  startedAt: received + 1000,
  endedAt: received + 2500,
  stdoutBytes: 2 ** 40,
  stderrBytes: 0,
  operands: JSON.stringify(operands),
  connections: JSON.stringify([
    { to: '\u001b[2Ja.example:443', route: '', outcome: 'closed', times: 41, up: 1, down: 2 },
    { to: 'b.example:443', route: '', outcome: 'denied', times: 1, up: 0, down: 0 },
  ]),
  connectionCount: 42,
};
const approval: PendingApproval = {
  id: 'a1b2',
  caller: 'relay:host-7',
  executionId: record.id,
  agent: 'coder',
  planHash: 'h',
  plan: canonicalJson(plan),
  command: recordable(plan.argv, plan.cwd),
  ...{ consent: { approvals: 1, role: 'approver' }, missing: 1, yeses: [] },
  noGrant: '',
  said: '',
  rule: 'install',
  reason: 'fetches code',
  createdAt: received,
  expiresAt: Date.now() + 600_000,
};

async function startGateway() {
  const resolved: [string, Omit<ShownVerdict, 'by'>, Principal][] = [];
  const gateway = await startTestGateway({
    people: { admin: 'admin', vera: 'viewer' },
    warden: {
      running: () => [record],
      history: async function* () {
        yield { record, receivedAt: record.receivedAt, row: 1 };
      },
      execution: async (id) => (record.id.startsWith(id) ? record : undefined),
      approvals: () => [approval],
      resolveApproval: async (id, verdict, by) => {
        resolved.push([id, verdict, by]);
        return { type: 'resolved', approval };
      },
    },
  });
  const context = await contextOf(gateway);
  const run = (...args: string[]) => clawrden(['--context', context, ...args]);
  return { gateway, run, resolved, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

const a1 = ['a1b2', '--hash', 'h'];

describe('P11, A-47: nothing that an agent wrote moves a terminal', () => {
  test.each([
    ['ps'],
    ['history'],
    ['show', '0199'],
    ['show', 'a1'],
    ['pending'],
    ['approve', ...a1],
    ['deny', ...a1],
  ])('%s', async (...args) => {
    await using setup = await startGateway();
    for (const json of [[], ['--json']]) {
      const { code, stdout, stderr } = await setup.run(...args, ...json);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^[\x20-\x7e\n]+$/);
    }
  });
});

test('A-48: pending and show leave nothing of a plan out, one argument a line', async () => {
  await using setup = await startGateway();
  for (const args of [['pending'], ['show', record.id]]) {
    const { stdout } = await setup.run(...args);
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines).toContain('"\\u{1b}[2J\\u{1b}[1;1HOK safe"');
    expect(lines).toContain('"a\\nApprove: yes"');
    expect(stdout).toContain('in a fresh container of node:24, sha256:0 (ghost)');
    expect(stdout).toContain('volume "coder-app" at "/app"');
    expect(stdout).toContain('"LANG=C"');
    expect(lines.findIndex((line) => line.endsWith('"x.sh" is "/app/x.sh", sha256 ab12'))).not.toBe(-1);
    expect(lines).toContain('"y.sh is /app/y.sh" is "/app/\\u{202e}hs.z", sha256 cd34');
    expect(lines).toContain('"z\\n.sh" is not inspected: "it is \\u{1b}[2J too large"');
    expect(lines).toContain('not inspected: "what node -e runs"');
  }
});

test('JSON has times, counts and the plan as an object', async () => {
  await using setup = await startGateway();
  const shown: unknown = JSON.parse((await setup.run('show', '0199', '--json')).stdout);
  expect(shown).toMatchObject({
    id: record.id,
    argv: hostile,
    stdoutBytes: 2 ** 40,
    receivedAt: '2026-11-21T08:00:00.000Z',
    plan: { argv: hostile, strategy: 'ghost' },
    operands,
  });
  const listed = JSON.parse((await setup.run('history', '--json', '--since', '1h')).stdout) as unknown[];
  const {
    plan: _plan,
    operands: _operands,
    connections: _connections,
    ...row
  } = shown as Record<string, unknown>;
  expect(listed).toEqual([row]);
});

test('rows of history count connections', async () => {
  await using setup = await startGateway();
  const { stdout } = await setup.run('history');
  const [head = '', line = ''] = stdout.split('\n');
  expect(line.slice(head.indexOf('CONNECTIONS'), head.indexOf('COMMAND')).trim()).toBe('42');
  const [row] = JSON.parse((await setup.run('history', '--json')).stdout) as { connectionCount: number }[];
  expect(row?.connectionCount).toBe(42);
});

test('verdicts carry who, what and why; a viewer gives none', async () => {
  await using setup = await startGateway();
  await setup.run('pending');
  expect(await setup.run('approve', 'a1', '--reason', 'looks right', '--for', '10m')).toMatchObject({
    code: 0,
  });
  expect(setup.resolved).toEqual([
    [
      'a1b2',
      { planHash: 'h', verdict: 'approved', reason: 'looks right', via: 'cli', grantMs: 600_000 },
      { kind: 'person', name: 'admin', role: 'admin', scope: {} },
    ],
  ]);
  const viewer = await contextOf(setup.gateway, { kind: 'person', name: 'vera' });
  const refused = await clawrden(['approve', 'a1b2', '--hash', 'h', '--context', viewer]);
  expect(refused).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: 'clawrden: approve: this needs the role approver, operator or admin; ask a person who may\n',
  });
  expect(setup.resolved.length).toBe(1);
});

test('P19: pause, kill, resume and lockdown say what came of it; what is unconfirmed is a failure', async () => {
  const asked: unknown[] = [];
  await using gateway = await startTestGateway({
    warden: {
      setAgentState: async (agent, state, by, reason) => {
        asked.push([agent, state, by.name, reason]);
        return { stopped: 2, unconfirmed: state === 'killed' ? ['host b'] : [] };
      },
      setLockdown: async (on, by, reason) => {
        asked.push([on, by.name, reason]);
        return { stopped: 0, unconfirmed: [] };
      },
    },
  });
  const context = await contextOf(gateway);
  const run = (...args: string[]) => clawrden(['--context', context, ...args]);
  expect(await run('pause', 'coder', '--reason', 'odd')).toMatchObject({
    code: 0,
    stdout: 'done pause coder, 2 executions ended\n',
  });
  expect(await run('kill', 'coder')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^clawrden: kill: not confirmed to be gone: host b; .*\n$/),
  });
  expect(await run('resume', 'coder')).toMatchObject({ code: 0 });
  expect(JSON.parse((await run('lockdown', 'on', '--json')).stdout)).toMatchObject({ stopped: 0 });
  expect(await run('lockdown', 'perhaps')).toMatchObject({ code: 2 });
  expect(asked).toEqual([
    ['coder', 'paused', 'admin', 'odd'],
    ['coder', 'killed', 'admin', ''],
    ['coder', 'active', 'admin', ''],
    [true, 'admin', ''],
  ]);
});

test('a token is made, printed alone, and turns into a relay.yaml that loads', async () => {
  await using setup = await startGateway();
  const { gateway, run } = setup;
  const made = await run('token', 'create', '--relay', 'host-7', '--agent', 'coder', '--ttl', '5m');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w.-]+\n$/) });
  const dir = join(gateway.dir, 'relay');
  const where = ['--gateway', gateway.enrollAddress, '--dir', dir];
  const enrolled = await clawrden(['relay', 'enroll', ...where, '--token', made.stdout.trim()]);
  expect(enrolled).toMatchObject({ code: 0, stderr: '' });
  expect(loadRelayConfig(join(dir, 'relay.yaml'))).toMatchObject({
    gateway: gateway.address,
    identity: dir,
    agents: [],
  });
  // The gateway enrols only while a token is valid, and this is another token.
  await run('token', 'create', '--relay', 'host-7', '--agent', 'coder', '--ttl', '5m');
  const again = await clawrden(['relay', 'enroll', ...where, '--token', made.stdout.trim()]);
  expect(again.stderr).toBe(
    'clawrden: relay enroll: the token was used before; make another token with clawrden relay invite\n',
  );
});

test('doctor finds what is wrong from here, says how to mend it, and fails only then', async () => {
  await using setup = await startGateway();
  const healthy = await setup.run('doctor', '--json');
  const findings = JSON.parse(healthy.stdout) as { check: string; level: string; fix: string }[];
  expect(findings).toContainEqual(expect.objectContaining({ check: 'clock', level: 'ok' }));
  expect(findings).toContainEqual(expect.objectContaining({ check: 'gateway', level: 'ok' }));
  expect(findings.filter(({ level, fix }) => level !== 'ok' && fix === '')).toEqual([]);
  const dir = join(setup.gateway.dir, 'state');
  await clawrden(['init', '--dir', dir], { HOME: setup.gateway.dir });
  await writeFile(
    join(dir, 'gateway.yaml'),
    'hosts: [{ name: a, engine: "unix:///nonexistent.sock" }]\nagentz: []\n',
  );
  const broken = await setup.run('doctor', '--config', join(dir, 'gateway.yaml'));
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/error .*gateway.yaml:2: agentz/);
  await writeFile(
    join(dir, 'gateway.yaml'),
    'state: .\nhosts: [{ name: a, engine: "unix:///nonexistent.sock" }]\n',
  );
  const away = await setup.run('doctor', '--config', join(dir, 'gateway.yaml'));
  expect(away.code).toBe(1);
  expect(away.stdout).toMatch(/error +host a: .*ENOENT/);
  expect(away.stdout).toContain('fix: start Docker');
});
