import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import type { RecordStart } from '../../gateway/executors/executor.ts';
import { createMirror } from '../../gateway/executors/mirror.ts';
import { Vanished } from '../../gateway/ports/channel.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Plan } from '../../src/plan.ts';
import {
  openChannel,
  type RunPermit,
  readAudit,
  relay,
  request,
  smallLimits,
  startCore,
  type TestChannel,
  type TestGateway,
} from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-inspect-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

const digest = (digit: string) => digit.repeat(64);
const lineOf = (digit: string) => `not held: the agent can change it; sha256:${digest(digit)} /app/x.sh`;
const found = (digit: string) => new Map([['x.sh', lineOf(digit)]]);

interface Typed {
  readonly id: string;
  readonly channel: TestChannel;
  readonly ended: Promise<Outcome>;
}

function type(core: TestGateway, args: readonly string[]): Typed {
  const channel = openChannel();
  const start = request('sh');
  const ended = createExecute(core)(relay, { ...start, command: { ...start.command, args } }, channel);
  return { id: start.executionId, channel, ended };
}

const untilSaid = (channel: TestChannel, what: string) =>
  vi.waitUntil(() => channel.said.find(({ type: said }) => said === what));

async function untilAsked(core: TestGateway): Promise<{ id: string; planHash: string; plan: Plan }> {
  const approval = await vi.waitUntil(() => core.approvals.pending()[0]);
  return { ...approval, plan: JSON.parse(approval.plan) as Plan };
}

const yes = { verdict: 'approved', by: 'person:admin', via: 'api', reason: '' } as const;

test('A-44 A-602 P9: a person is asked about the bytes of the script, and the record says which, and which host said so', async () => {
  await using core = await startCore(dir);
  const { channel, ended } = type(core, ['x.sh']);
  const looked = (await untilSaid(channel, 'inspect-here')) as { planHash: string };
  expect(channel.said[0]).toMatchObject({ type: 'notice' });
  expect(core.approvals.pending()).toEqual([]);
  channel.type({ type: 'inspected', found: found('a') });
  const { id, planHash, plan } = await untilAsked(core);
  const operands = [
    { path: 'x.sh', digest: digest('a'), file: '/app/x.sh', notHeld: 'the agent can change it' },
  ];
  expect(plan.operands).toEqual(operands);
  expect(planHash).not.toBe(looked.planHash);
  await core.approvals.resolve(id, { ...yes, planHash });
  expect(await ended).toMatchObject({ code: 7 });
  expect(readAudit(dir).filter(({ type: one }) => one !== 'outcome')).toMatchObject([
    { type: 'decision', decision: 'ask', planHash: looked.planHash },
    { type: 'inspection', host: 'host-1', planHash, operands },
    { type: 'verdict', planHash },
  ]);
});

test('what nobody can look at is said at once, without a relay', async () => {
  await using core = await startCore(dir);
  const { channel } = type(core, ['-c', '. ./x.sh; true']);
  const { plan } = await untilAsked(core);
  expect(plan.operands).toEqual([{ notInspected: expect.stringMatching(/./) }]);
  expect(channel.said.map(({ type: said }) => said)).toEqual(['pending']);
  channel.leave(new ClawrdenError('canceled', ''));
});

test('A-44: an approval for a while holds for the same bytes only', async () => {
  await using core = await startCore(dir);
  const first = type(core, ['x.sh']);
  await untilSaid(first.channel, 'inspect-here');
  first.channel.type({ type: 'inspected', found: found('a') });
  const { id, planHash } = await untilAsked(core);
  await core.approvals.resolve(id, { ...yes, planHash, grantMs: 60_000 });
  await first.ended;

  const same = type(core, ['x.sh']);
  await untilSaid(same.channel, 'inspect-here');
  same.channel.type({ type: 'inspected', found: found('a') });
  expect(await same.ended).toMatchObject({ code: 7 });
  expect(await core.history.find(same.id)).toMatchObject({ approver: 'person:admin' });

  const other = type(core, ['x.sh']);
  await untilSaid(other.channel, 'inspect-here');
  other.channel.type({ type: 'inspected', found: found('b') });
  await untilAsked(core);
  other.channel.leave(new ClawrdenError('canceled', ''));
  await other.ended;
  expect(core.ran).toHaveLength(2);
});

test('if no init could look, no person is asked', async () => {
  await using core = await startCore(dir);
  const { channel, ended } = type(core, ['x.sh']);
  await untilSaid(channel, 'inspect-here');
  channel.type({ type: 'inspected', found: new ClawrdenError('host-lost', 'no container') });
  expect(await ended).toMatchObject({ kind: 'failed', reason: 'host-lost' });
  expect(core.approvals.pending()).toEqual([]);
});

test.each([
  ['goes away', (channel: TestChannel) => channel.leave(new Vanished())],
  ['is interrupted', (channel: TestChannel) => channel.type({ type: 'signal', signal: 2 })],
])('a caller that %s while somebody looks ends it, and nobody is asked', async (_how, leave) => {
  await using core = await startCore(dir);
  const { channel, ended } = type(core, ['x.sh']);
  await untilSaid(channel, 'inspect-here');
  leave(channel);
  await ended;
  channel.type({ type: 'inspected', found: found('a') });
  expect(core.approvals.pending()).toEqual([]);
  expect(core.ran).toEqual([]);
});

test('P9: a relay that does not name what it found, as those before it did, is not believed', async () => {
  await using core = await startCore(dir);
  for (const told of [new Map(), new Map([['y.sh', lineOf('a')]])]) {
    const { channel, ended } = type(core, ['x.sh']);
    await untilSaid(channel, 'inspect-here');
    channel.type({ type: 'inspected', found: told });
    expect(await ended).toMatchObject({
      reason: 'internal',
      text: expect.stringMatching(/upgrade the relay/),
    });
  }
  expect(core.approvals.pending()).toEqual([]);
  expect(core.ran).toEqual([]);
});

test('P9: the plan of an allowed command names its scripts, and the record says what each was', async () => {
  const rules = '  - { name: may-sh, tools: [node], action: allow }\n';
  const started: RecordStart[] = [];
  const mirror: RunPermit = async (permit, execution) =>
    (await createMirror({ recordStart: started[0]!, onVanished: () => {} })(permit, execution))();
  await using core = await startCore(dir, mirror, smallLimits, rules, '  node: { strategy: mirror }\n');
  started.push(core.recorder.started);
  const channel = openChannel();
  const start = request('node');
  const args = ['-r', './pre.js', '-r', './pre.js', 'x.js', 'y.js'];
  const ended = createExecute(core)(relay, { ...start, command: { ...start.command, args } }, channel);
  const { canonicalPlan } = (await untilSaid(channel, 'run-here')) as { canonicalPlan: string };
  const plan = JSON.parse(canonicalPlan) as Plan;
  expect([plan.scripts, plan.operands]).toEqual([[{ path: './pre.js' }, { path: 'x.js' }], undefined]);
  const lines = [['x.js', lineOf('a')] as const, ['./pre.js', lineOf('b')] as const];
  channel.type({ type: 'mirror-started', container: 'c', found: new Map(lines) });
  channel.type({ type: 'mirror-end', outcome: { kind: 'exited', code: 3, signal: 0 }, usage: undefined });
  expect(await ended).toMatchObject({ code: 3 });
  await vi.waitUntil(() => readAudit(dir).some(({ type: one }) => one === 'outcome'));
  expect(readAudit(dir).find(({ type: one }) => one === 'start')).toMatchObject({
    operands: [
      { path: './pre.js', digest: digest('b') },
      { path: 'x.js', digest: digest('a') },
    ],
  });
});
