import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import type { Principal } from '../../gateway/ports/principal.ts';
import {
  openChannel,
  operator,
  readAudit,
  relay,
  request,
  startCore,
  type TestGateway,
} from './start-core.ts';

let dir: string;
let core: TestGateway;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-help-'));
  core = await startCore(dir);
});
afterEach(async () => {
  await core[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

async function run(
  tool: string,
  args: readonly string[] = [],
  change: Partial<StartRequest> = {},
  as = relay,
) {
  const channel = openChannel();
  const { command } = request(tool);
  const asked = request(tool, { command: { ...command, args, cwd: '/' }, ...change });
  const outcome = await createExecute(core)(as, asked, channel);
  const bytes = channel.said.flatMap((said) => (said.type === 'stdout' ? [said.bytes] : []));
  return { outcome, types: channel.said.map(({ type }) => type), stdout: Buffer.concat(bytes).toString() };
}

test('P18: help is judged, planned and recorded like any command, needs no rule, and names the last refusal', async () => {
  const { command } = request('rm');
  expect((await run('rm', [], { command })).outcome).toMatchObject({ kind: 'denied' });
  const help = await run('clawrden-help');
  expect(help.outcome).toEqual({ kind: 'exited', code: 0, signal: 0 });
  expect(help.types).toEqual(['accepted', 'started', 'stdout']);
  expect(help.stdout).toMatch(/^Agent coder may run these tools\./);
  expect(help.stdout).toMatch(/Refused lately:\n.* rm\n {4}tool-unknown: /);
  expect((await run('clawrden-help', ['nothing'])).outcome).toEqual({ kind: 'exited', code: 1, signal: 0 });
  expect(core.ran).toEqual([]);
  const records = readAudit(dir).filter(({ argv }) => (argv as string[])?.[0] === 'clawrden-help');
  expect(records[0]).toMatchObject({ decision: 'allow', rule: 'clawrden-help', strategy: 'help', uid: 1000 });
  await expect.poll(() => readAudit(dir).map(({ type }) => type)).toContain('start');
});

test('P17, P18: only the agent itself has it, and none that a person has stopped', async () => {
  const own: Principal = { kind: 'agent', name: 'coder', role: 'agent', scope: {} };
  const program: Principal = { kind: 'program', name: 'ci', role: 'orchestrator', scope: {} };
  expect((await run('clawrden-help', [], {}, own)).outcome).toMatchObject({ code: 0 });
  for (const other of [program, operator])
    expect((await run('clawrden-help', [], {}, other)).outcome).toMatchObject({ reason: 'needs-agent' });
  expect((await run('clawrden-help', [], { agent: '' }, program)).outcome).toMatchObject({
    reason: 'needs-agent',
  });
  await core.killSwitch.set('coder', 'paused', operator, '');
  expect((await run('clawrden-help')).outcome).toMatchObject({ reason: 'agent-paused' });
});
