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
