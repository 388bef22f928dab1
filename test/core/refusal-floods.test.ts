import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { recordedRefusals } from '../../gateway/execution/refusals.ts';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import type { Principal } from '../../gateway/ports/principal.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { openChannel, operator, readAudit, relay, request, smallLimits, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const floodSize = isLong ? 5000 : 600;

const command = request('run').command;
const filler = fc.integer({ min: 0, max: 100_000 }).map((length) => '\u0001'.repeat(length));

/** Every refusal that a verified relay may cause, at every size. */
const refused: fc.Arbitrary<StartRequest> = fc.oneof(
  filler.map((text) => request('nothing', { command: { ...command, tool: 'nothing', args: [text] } })),
  filler.map((text) => request('run', { command: { ...command, cwd: `/etc/${text}` } })),
  filler.map((text) => request('run', { command: { ...command, args: [`${text}${'x'.repeat(140_000)}`] } })),
  filler.map((text) => request('run', { command: { ...command, env: [text] } })),
  filler.map((text) =>
    request('run', { refusal: new ClawrdenError('identity-mismatch', text.slice(0, 100)) }),
  ),
  fc.constant(request('run', { executionId: 'none' })),
  fc.constant(request('run', { identity: { uid: 0, gid: 0 } })),
);

const madeUp = fc
  .string({ minLength: 1, maxLength: 100 })
  .map((agent) => request('run', { agent: `-${agent}` }));

const unlimited = { ...smallLimits, requestsPerSecond: 1e6, bytesPerSecond: 1e12, executionsPerAgent: 1e4 };

function sampleOf(arbitrary: fc.Arbitrary<StartRequest>, count: number): StartRequest[] {
  // An id starts once.
  return fc.sample(arbitrary, { numRuns: count, seed: 86 }).map((one) => ({
    ...one,
    executionId: one.executionId === 'none' ? 'none' : request('run').executionId,
  }));
}

interface Told {
  readonly type: string;
  readonly agent: string;
  readonly decision: string;
  readonly count: number;
  readonly codes: Readonly<Record<string, number>>;
}

test('A-86: what refused requests add to the audit and to history is bounded, and every one is counted', async () => {
  await using core = await startCore(dir, undefined, unlimited);
  const execute = createExecute(core);
  const flood = sampleOf(refused, floodSize);
  const began = performance.now();
  for (const [index, one] of flood.entries()) {
    expect(await execute(relay, one, openChannel())).toMatchObject({ kind: 'denied' });
    // An allowed command has its own record, whatever is refused around it.
    if (index % 100 === 99)
      expect(await execute(relay, request('run'), openChannel())).toMatchObject({ kind: 'exited' });
  }
  const seconds = (performance.now() - began) / 1000;
  await core.refusals.close();
  const audit = readAudit(dir) as unknown as Told[];
  const denials = audit.filter(({ decision }) => decision === 'deny');
  const folds = audit.filter(({ type }) => type === 'refusals');
  const most = (2 + seconds) * recordedRefusals.records;
  expect(denials.length).toBeLessThanOrEqual(most);
  expect(folds.length).toBeLessThanOrEqual(seconds + 2);
  expect(denials.length + folds.reduce((sum, { count }) => sum + count, 0)).toBe(flood.length);
  const codes = folds.flatMap((fold) => Object.values(fold.codes));
  expect(codes.reduce((sum, count) => sum + count, 0)).toBe(folds.reduce((sum, { count }) => sum + count, 0));
  expect(audit.filter(({ decision }) => decision === 'allow')).toHaveLength(Math.floor(flood.length / 100));
  // Outcomes and incidents stand beside the decisions that have their own records.
  const bytes = (3 + seconds) * recordedRefusals.bytes + most * 1500 + Math.floor(flood.length / 100) * 4096;
  expect(statSync(join(dir, 'audit.jsonl')).size).toBeLessThan(bytes);
  const rows = await Array.fromAsync(
    core.history.page({ agent: '', since: undefined, decision: '', limit: 1e5 }),
  );
  expect(rows.filter(({ record: { decision } }) => decision === 'deny').length).toBeLessThanOrEqual(most);
  expect(rows.filter(({ record: { decision } }) => decision === 'allow')).toHaveLength(
    Math.floor(flood.length / 100),
  );
});

test('A-86 P3: names of agents that are not its own use up nothing, and become a few incidents', async () => {
  await using core = await startCore(dir, undefined, smallLimits);
  const execute = createExecute(core);
  const names = sampleOf(madeUp, floodSize);
  const outcomes = await Promise.all(names.map((one) => execute(relay, one, openChannel())));
  expect(new Set(outcomes.map((outcome) => 'reason' in outcome && outcome.reason))).toEqual(
    new Set(['identity-agent']),
  );
  expect(await execute(relay, request('run'), openChannel())).toMatchObject({ kind: 'exited' });
  await core.refusals.close();
  const audit = readAudit(dir);
  const incidents = audit.filter(({ incident }) => incident === 'identity-agent');
  expect(incidents.length).toBeGreaterThan(0);
  expect(incidents.length).toBeLessThanOrEqual(2 * recordedRefusals.records + 20);
  expect(incidents[0]).toMatchObject({
    caller: 'relay:host-1',
    text: expect.stringContaining(names[0]!.agent.slice(0, 1)),
  });
  const told = audit.filter(({ decision, type }) => decision === 'deny' || type === 'refusals');
  expect(new Set(told.map(({ agent }) => agent))).toEqual(new Set(['']));
  const rows = await Array.fromAsync(
    core.history.page({ agent: '', since: undefined, decision: '', limit: 1e5 }),
  );
  expect(rows.map(({ record: { agent } }) => agent)).toEqual(['coder']);
});

test("A-86: names that were made up take none of the places that an agent's own commands have", async () => {
  const ends: (() => void)[] = [];
  await using core = await startCore(
    dir,
    () => new Promise((resolve) => ends.push(() => resolve({ kind: 'started' }))),
    {
      ...smallLimits,
      running: 3,
      queued: 0,
    },
  );
  const execute = createExecute(core);
  for (let index = 0; index < 20; index += 1)
    await execute(relay, request('run', { agent: `x${index}` }), openChannel());
  const own = [1, 2, 3].map(() => execute(relay, request('run'), openChannel()));
  await expect.poll(() => ends.length).toBe(3);
  expect(core.ledger.running()).toHaveLength(3);
  for (const end of ends) end();
  expect(await Promise.all(own)).toEqual(own.map(() => ({ kind: 'started' })));
});

test("A-76 A-86: an agent has a budget of requests and of bytes a second; its neighbour's is its own", async () => {
  const limits = { ...smallLimits, requestsPerSecond: 5, bytesPerSecond: 50_000 };
  await using core = await startCore(dir, undefined, limits);
  const execute = createExecute(core);
  const ask = async (caller: Principal, args: string[]) =>
    execute(caller, request('run', { command: { ...command, args } }), openChannel());
  const reasonOf = async (caller: Principal, args: string[]) => {
    const outcome = await ask(caller, args);
    return 'reason' in outcome ? outcome.reason : '';
  };
  const small: string[] = [];
  for (let index = 0; index < 60; index += 1) small.push(await reasonOf(relay, []));
  expect(small.slice(0, 10)).toEqual(Array(10).fill(''));
  expect(small).toContain('rate-limit');
  // Counted by caller, not by name: an operator that asks for the same agent has its own budget.
  expect(await reasonOf(operator, [])).toBe('needs-agent');
  for (let index = 0; index < 3; index += 1) await reasonOf(operator, ['x'.repeat(49_000)]);
  expect(await reasonOf(operator, ['x'.repeat(49_000)])).toBe('rate-limit');
});
