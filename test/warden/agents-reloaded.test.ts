import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { editConfig } from '../../src/cli/fleet/edit-config.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type First, type Mirrored, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

interface Agent {
  name: string;
  relay: string;
  users: string[];
  cwd: string;
}

const agent = (name: string, change: Partial<Agent> = {}): Agent => ({
  ...{ name, relay: 'host-1', users: ['1000:1000'], cwd: '/app' },
  ...change,
});
const both = [agent('coder'), agent('other')];

let gateway: RealGateway;
let relay: GatewayClient;
let admin: GatewayClient;

beforeAll(async () => {
  gateway = await startRealGateway();
  [relay, admin] = await Promise.all([gateway.relay(), gateway.admin()]);
});
afterEach(() => setAgents(both));
afterAll(async () => {
  relay?.close();
  admin?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const file = () => join(gateway.state, 'gateway.yaml');

async function names(): Promise<string[]> {
  const { agents } = await admin.call(WardenServiceService.listAgents, { pageToken: '' });
  return agents.map(({ name, relay: its }) => `${name}@${its}`);
}

/** Writes the file, and waits until it is in force: an agent more or less, or the line of the audit. */
async function setAgents(agents: readonly Agent[]): Promise<void> {
  const reloads = audit('"event":"reload"').length;
  const before = parse(readFileSync(file(), 'utf8')) as { agents: Agent[] };
  if (JSON.stringify(before.agents) === JSON.stringify(agents)) return;
  writeFileSync(file(), stringify({ ...before, agents }));
  await expect.poll(() => audit('"event":"reload"').length).toBe(reloads + 1);
}

function audit(...parts: string[]): string[] {
  const lines = readFileSync(gateway.audit, 'utf8').split('\n');
  return lines.filter((line) => parts.every((part) => line.includes(part)));
}

async function asked(first: First = { tool: 'ask' }) {
  const command = newMirrored();
  const ended = play(relay, command, first, gateway.audit);
  await expect.poll(() => command.approvalId, { interval: 5 }).not.toBe('');
  return { command, ended };
}

async function run(first: First): Promise<Mirrored> {
  const command = newMirrored();
  await play(relay, command, first, gateway.audit);
  return command;
}

function approve({ approvalId: id, planHash }: Mirrored, grantSeconds = 0) {
  const rest = { reason: '', grantSeconds, via: 'test' };
  return admin.call(WardenServiceService.resolveApproval, {
    id,
    planHash,
    verdict: Verdict.APPROVE,
    ...rest,
  });
}

/** A mirrored command that its relay has started and that goes on. */
async function running(agentName: string) {
  const stream = relay.execute();
  const told: string[] = [];
  let reason = '';
  stream.on('data', ({ message }) => {
    told.push(message?.$case ?? '');
    if (message?.$case === 'runHere')
      stream.write({ message: { $case: 'started', value: { host: '', container: 'c', found: [] } } });
    if (message?.$case === 'outcome') reason = message.value.text;
  });
  stream.on('error', () => {});
  const { id } = newMirrored();
  const command = {
    ...{
      tool: 'run',
      args: [],
      cwd: '/app',
      env: [],
      umask: 18,
      ignored: [],
      blocked: [],
      terminal: undefined,
    },
    ...{ stdio: ['null', 'pipe', 'pipe'], version: 1 },
  };
  const value = { executionId: id, agent: agentName, command, refusal: undefined, hostLabels: [] };
  stream.write({ message: { $case: 'start', value: { ...value, identity: { uid: 1000, gid: 1000 } } } });
  await expect.poll(() => told.includes('runHere')).toBe(true);
  return { id, told, reason: () => reason };
}

test('an agent that is removed while the gateway runs: its work ends, its question is void, new work is refused; the other agent goes on', async () => {
  const [mine, theirs] = [await running('coder'), await running('other')];
  const question = await asked();
  const kept = await asked({ tool: 'ask', agent: 'other' });
  await setAgents([agent('other')]);
  await question.ended;
  await expect.poll(() => mine.reason()).toBe('agent coder was removed from gateway.yaml');
  expect(question.command).toMatchObject({ starts: 0, outcome: { reason: 'canceled' } });
  await expect(approve(question.command)).rejects.toMatchObject({ code: 9 });
  expect((await run({ tool: 'run' })).outcome).toMatchObject({ reason: 'identity-agent' });
  expect(await names()).toEqual(['other@host-1']);
  expect(audit('"type":"verdict"', question.command.id, '"void"', 'was removed')).toHaveLength(1);
  expect(audit('"event":"reload"', 'agents removed coder')).toHaveLength(1);
  expect(theirs.told).not.toContain('outcome');
  await approve(kept.command);
  await kept.ended;
  expect(kept.command.starts).toBe(1);
});

test.each([
  [
    'another relay',
    agent('coder', { relay: 'host-2' }),
    'agent coder has another relay now',
    'identity-agent',
  ],
  [
    'other users',
    agent('coder', { users: ['1001:1001'] }),
    '1000:1000 is no user of agent coder any more',
    'identity-user',
  ],
] as const)(
  'an agent that gets %s: what runs and waits by the old one ends',
  async (_, changed, text, refusal) => {
    const command = await running('coder');
    const question = await asked();
    await setAgents([changed, agent('other')]);
    await question.ended;
    await expect.poll(() => command.reason()).toBe(text);
    expect(question.command.outcome).toMatchObject({ text });
    expect((await run({ tool: 'run' })).outcome).toMatchObject({ reason: refusal });
  },
);

test('an agent that is added is served without a restart, and one of a name that was removed has no grant of the old one', async () => {
  await setAgents([...both, agent('third')]);
  expect((await run({ tool: 'run', agent: 'third' })).starts).toBe(1);
  const question = await asked({ tool: 'touch', args: ['x'], agent: 'third' });
  await approve(question.command, 600);
  await question.ended;
  expect((await run({ tool: 'touch', args: ['x'], agent: 'third' })).starts).toBe(1);
  await setAgents([...both, agent('third', { cwd: '/app/x' })]);
  expect((await run({ tool: 'touch', args: ['x'], agent: 'third' })).starts).toBe(1);
  await setAgents(both);
  await setAgents([...both, agent('third')]);
  const again = await asked({ tool: 'touch', args: ['x'], agent: 'third' });
  expect(again.command.starts).toBe(0);
});

test('P17: the API tokens of an agent that is removed count no more, also if another one takes its name', async () => {
  await setAgents([...both, agent('third')]);
  const wanted = { role: 'agent', scope: [], ttl: 0n };
  for (const name of ['third', 'other'])
    await admin.call(WardenServiceService.createApiToken, { ...wanted, name: `of-${name}`, agent: name });
  await setAgents(both);
  await setAgents([...both, agent('third')]);
  const { tokens } = await admin.call(WardenServiceService.listApiTokens, { pageToken: '' });
  expect(tokens.map(({ name }) => name)).toEqual(['of-other']);
  const ended = audit('"type":"token"', '"event":"removed"', 'its agent was removed from gateway.yaml');
  expect(ended.map((line) => JSON.parse(line).token)).toEqual(['of-third']);
});

test('a file with a fault keeps the agents that are in force, and the status says so until it is mended', async () => {
  const good = readFileSync(file(), 'utf8');
  writeFileSync(file(), good.replace('users:', 'userz:'));
  const status = async () => (await admin.call(WardenServiceService.getStatus, {})).warnings.join();
  await expect.poll(status).toContain('gateway.yaml is not in force');
  expect((await run({ tool: 'run' })).starts).toBe(1);
  writeFileSync(file(), good);
  await expect.poll(status).not.toContain('gateway.yaml is not in force');
});

test('a question of an agent that was removed while no gateway ran is void when one starts', async () => {
  const question = await asked();
  await gateway.end('SIGKILL');
  await question.ended;
  const before = parse(readFileSync(file(), 'utf8')) as { agents: Agent[] };
  writeFileSync(file(), stringify({ ...before, agents: [agent('other')] }));
  await gateway.start();
  expect((await gateway.cli('pending', '--json')).stdout).not.toContain(question.command.approvalId);
  await expect
    .poll(() => audit('"type":"verdict"', question.command.id, '"void"', 'was removed').length)
    .toBe(1);
});

test('A-224 P7: an agent that is removed and added again by two edits in a row has nothing that was assigned to the former', async () => {
  const write = (agents: readonly Agent[]) =>
    editConfig(file(), (text) => ({
      ...{ text: stringify({ ...(parse(text) as object), agents }), lines: '', toDo: '' },
    }));
  const tool = 'kept';
  await admin.call(WardenServiceService.assignTool, { agent: 'other', tool, allow: false, reason: '' });
  const assigned = audit('"type":"assignment"', '"event":"assigned"').length;
  await write([agent('coder')]);
  await write(both);
  await expect.poll(() => audit('"type":"assignment"', '"event":"unassigned"').length).toBe(assigned);
  await expect.poll(names).toEqual(['coder@host-1', 'other@host-1']);
  const { text } = await admin.call(WardenServiceService.getPolicy, {});
  expect(text).not.toContain('agent: "other"');
});
