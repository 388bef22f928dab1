import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { type First, type Mirrored, newMirrored, play, usage } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let relay: GatewayClient;

beforeAll(async () => {
  gateway = await startRealGateway();
  relay = await gateway.relay();
});
afterAll(async () => {
  relay?.close();
  await gateway?.[Symbol.asyncDispose]();
});

interface Line {
  readonly type: string;
  readonly execution: string;
  readonly [field: string]: unknown;
}

/** The audit of one execution, once its end is there. */
async function recordsOf({ id }: Mirrored): Promise<Line[]> {
  const own = () =>
    readFileSync(gateway.audit, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ execution }) => execution === id);
  await expect.poll(() => own().map(({ type }) => type)).toContain('outcome');
  return own();
}

async function run(first: First): Promise<Mirrored> {
  const command = newMirrored();
  await play(relay, command, first, gateway.audit);
  return command;
}

test('P25 the record of an end has sizes and digests of all that was written, the time each phase took, and what was used', async () => {
  const output = [Buffer.from('all that\n'), Buffer.alloc(300_000, 'x')];
  for (const tool of ['run', 'kept'] as const) {
    const [decision, start, outcome] = await recordsOf(await run({ tool, output }));
    expect(decision).toMatchObject({ type: 'decision', decision: 'allow', argv: [tool] });
    expect(start).toMatchObject({ type: 'start', host: 'host-1', planHash: decision?.planHash });
    // Only the policy allowed it.
    expect(start).not.toHaveProperty('approver');
    expect(outcome).toMatchObject({
      ...{ type: 'outcome', outcome: 'exited', code: 7, stdoutBytes: 300_009, stderrBytes: 0, usage },
      stdoutDigest: createHash('sha256').update(Buffer.concat(output)).digest('hex'),
      stderrDigest: createHash('sha256').digest('hex'),
      durationsMs: { received: expect.any(Number), running: expect.any(Number) },
    });
  }
});

test('P25 of what its caller runs in place the decision and the start are recorded, and no more is known', async () => {
  const command = await run({ tool: 'here' });
  expect(command.starts).toBe(1);
  const lines = await recordsOf(command);
  expect(lines).toMatchObject([
    { type: 'decision', decision: 'allow', strategy: 'passthrough' },
    { type: 'start', host: 'host-1', container: '', planHash: lines[0]?.planHash },
    { type: 'outcome', outcome: 'started', stdoutBytes: 0 },
  ]);
  expect(lines[2]).not.toHaveProperty('usage');
});

test('P10 an approval for a while: the very same plan runs without a question, and the record says by whom', async () => {
  const again = { tool: 'touch', args: ['again'] } as const;
  const first = newMirrored();
  const ended = play(relay, first, again, gateway.audit);
  await expect.poll(() => first.approvalId).not.toBe('');
  const yes = ['approve', first.approvalId, '--hash', first.planHash, '--for', '10m'];
  expect((await gateway.cli(...yes)).code).toBe(0);
  await ended;
  const second = await run(again);
  expect(second).toMatchObject({ approvalId: '', starts: 1, outcome: { code: 7 } });
  const approver = 'person:admin';
  for (const command of [first, second]) {
    const start = (await recordsOf(command)).find(({ type }) => type === 'start');
    expect(start).toMatchObject({ approver });
    const shown = JSON.parse((await gateway.cli('show', command.id, '--json')).stdout) as object;
    expect(shown).toMatchObject({ approver });
  }
  const verdict = (await recordsOf(first)).find(({ type }) => type === 'verdict');
  expect(verdict).toMatchObject({ verdict: 'approved', by: approver, via: 'cli', grantMs: 600_000 });

  for (const other of [
    { tool: 'touch', args: ['another'] },
    { ...again, agent: 'other' },
  ] as const) {
    const command = newMirrored();
    const waits = play(relay, command, other, gateway.audit);
    await expect.poll(() => command.approvalId).not.toBe('');
    const no = ['deny', command.approvalId, '--hash', command.planHash];
    expect((await gateway.cli(...no)).code).toBe(0);
    await waits;
    expect(command.starts).toBe(0);
  }
});
