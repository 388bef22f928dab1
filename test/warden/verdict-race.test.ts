import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { OutcomeKind } from '../../src/gen/clawrden/v1/execution.ts';
import { AgentStatus, Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type Mirrored, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const rounds = process.env.CLAWRDEN_LONG === '1' ? 1000 : 100;

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

const firstPage = { limit: 1000, pageToken: '' };

function answer(client: GatewayClient, { approvalId: id, planHash }: Mirrored, verdict: Verdict) {
  const rest = { planHash, reason: '', grantSeconds: 0, via: 'test' };
  return client.call(WardenServiceService.resolveApproval, { id, verdict, ...rest });
}

test('A-42: 50 approvals and 50 denials race for one question: one counts, and at most one start follows', {
  timeout: 30_000 + rounds * 400,
}, async () => {
  const seen = new Set<Verdict>();
  for (let round = 0; round < rounds; round += 1) {
    const command = newMirrored();
    const ended = play(relay, command, { tool: 'ask' }, gateway.audit);
    await expect.poll(() => command.approvalId, { interval: 1 }).not.toBe('');
    // In every second round a denial is sent first.
    const first = round % 2 === 0 ? Verdict.APPROVE : Verdict.DENY;
    const second = first === Verdict.APPROVE ? Verdict.DENY : Verdict.APPROVE;
    const verdicts = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? first : second));
    const results = await Promise.allSettled(verdicts.map((verdict) => answer(admin, command, verdict)));
    await ended;
    const counted = verdicts.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(counted).toHaveLength(1);
    const approved = counted[0] === Verdict.APPROVE;
    expect(command.starts).toBe(approved ? 1 : 0);
    expect(command.outcome?.kind).toBe(approved ? OutcomeKind.EXITED : OutcomeKind.DENIED);
    seen.add(counted[0]!);
  }
  expect(seen.size).toBe(2);
});

test('A-50: what a relay holds, and so what an agent could, approves nothing, pauses nothing and reads nothing', async () => {
  const command = newMirrored();
  const ended = play(relay, command, { tool: 'ask' }, gateway.audit);
  await expect.poll(() => command.approvalId).not.toBe('');
  const refused = { code: 7 };
  await expect(answer(relay, command, Verdict.APPROVE)).rejects.toMatchObject(refused);
  await expect(answer(relay, command, Verdict.DENY)).rejects.toMatchObject(refused);
  const { listApprovals, listExecutions, setAgentState, setLockdown, createEnrolmentToken } =
    WardenServiceService;
  await expect(relay.call(listApprovals, firstPage)).rejects.toMatchObject(refused);
  const all = {
    running: false,
    agent: '',
    since: '',
    decision: '',
    tool: '',
    q: '',
    limit: 0,
    pageToken: '',
  };
  await expect(relay.call(listExecutions, all)).rejects.toMatchObject(refused);
  const resume = { agent: 'coder', status: AgentStatus.ACTIVE, reason: '' };
  await expect(relay.call(setAgentState, resume)).rejects.toMatchObject(refused);
  await expect(relay.call(setLockdown, { on: false, reason: '' })).rejects.toMatchObject(refused);
  const token = { relay: 'host-2', agents: ['coder'], ttl: 0 };
  await expect(relay.call(createEnrolmentToken, token)).rejects.toMatchObject(refused);
  const watching = relay.watchApprovals();
  const code = await new Promise((resolve) =>
    watching.on('data', () => resolve('data')).on('error', (error) => resolve('code' in error && error.code)),
  );
  expect(code).toBe(7);
  expect(command.starts).toBe(0);
  const { approvals } = await admin.call(listApprovals, firstPage);
  expect(approvals.map(({ id }) => id)).toEqual([command.approvalId]);
  await answer(admin, command, Verdict.DENY);
  await ended;
  expect(command.starts).toBe(0);
});
