import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type First, type Mirrored, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let relay: GatewayClient;
let admin: GatewayClient;

beforeAll(async () => {
  gateway = await startRealGateway();
  [relay, admin] = await Promise.all([gateway.relay(), gateway.admin()]);
});
afterAll(async () => {
  relay?.close();
  admin?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const file = () => join(gateway.state, 'policy.yaml');
const granted: First = { tool: 'touch', args: ['granted'] };

async function setPolicy(text: string): Promise<void> {
  const { policyHash: before } = await admin.call(WardenServiceService.getStatus, {});
  writeFileSync(file(), text);
  await expect
    .poll(async () => (await admin.call(WardenServiceService.getStatus, {})).policyHash)
    .not.toBe(before);
}

async function run(): Promise<Mirrored> {
  const command = newMirrored();
  await play(relay, command, granted, gateway.audit);
  return command;
}

test('P10: a grant covers its plan by another policy, and is judged again at each use', {
  timeout: 60_000,
}, async () => {
  const first = newMirrored();
  const ended = play(relay, first, granted, gateway.audit);
  await expect.poll(() => first.approvalId, { interval: 5 }).not.toBe('');
  const { approvalId: id, planHash } = first;
  const yes = { id, planHash, verdict: Verdict.APPROVE, reason: '', grantSeconds: 600, via: 'test' };
  await admin.call(WardenServiceService.resolveApproval, yes);
  await ended;
  const original = readFileSync(file(), 'utf8');
  await setPolicy(`# a comment\n${original}`);
  expect(await run()).toMatchObject({ approvalId: '', starts: 1 });
  await setPolicy(original.replace(/(name: must-ask,.*action: )ask/, '$1deny'));
  expect(await run()).toMatchObject({ approvalId: '', starts: 0, outcome: { reason: 'denied-by-rule' } });
  await setPolicy(original);
  expect(await run()).toMatchObject({ approvalId: '', starts: 1 });
});

test('how a plan was answered before is told by another policy, too', { timeout: 60_000 }, async () => {
  const { stdout } = await gateway.cli('tokens', 'create', 'looks', '--role', 'viewer', '--json');
  const { text: token } = JSON.parse(stdout) as { text: string };
  const asked = async (): Promise<[Mirrored, unknown]> => {
    const command = newMirrored();
    const ended = play(relay, command, { tool: 'touch', args: ['answered'] }, gateway.audit);
    await expect.poll(() => command.approvalId, { interval: 5 }).not.toBe('');
    const { approvalId: id, planHash } = command;
    const headers = { authorization: `Bearer ${token}` };
    const shown = await (await fetch(`${gateway.httpUrl}/api/v1/approvals/${id}`, { headers })).json();
    const no = { id, planHash, verdict: Verdict.DENY, reason: 'not today', grantSeconds: 0, via: 'test' };
    await admin.call(WardenServiceService.resolveApproval, no);
    await ended;
    return [command, (shown as { earlier: unknown }).earlier];
  };
  const [first, none] = await asked();
  expect(none).toEqual([]);
  await setPolicy(`# another comment\n${readFileSync(file(), 'utf8')}`);
  const [second, earlier] = await asked();
  expect(second.planHash).not.toBe(first.planHash);
  expect(earlier).toEqual([expect.objectContaining({ verdict: 'denied', reason: 'not today' })]);
});
