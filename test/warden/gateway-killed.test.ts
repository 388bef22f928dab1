import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rotatedFiles } from '../../src/audit/audit-files.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type Dice, seeded } from '../scenarios/seeded.ts';
import { type Mirrored, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const rounds = process.env.CLAWRDEN_LONG === '1' ? 100 : 10;
const seed = Number(process.env.CLAWRDEN_SEED ?? Date.now() % 1_000_000);

let gateway: RealGateway;
const all: Mirrored[] = [];

beforeAll(async () => {
  gateway = await startRealGateway();
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

/** Commands that come and go until `signal` aborts: allowed ones, asked ones, and asked ones that nobody answers. */
async function load(
  relay: GatewayClient,
  dice: Dice,
  ignored: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const lane = async (tool: 'run' | 'ask') => {
    while (!signal.aborted) {
      const command = newMirrored();
      all.push(command);
      await play(relay, command, { tool }, gateway.audit);
    }
  };
  const unanswered = Array.from({ length: 3 }, async () => {
    await sleep(dice.below(100));
    const command = newMirrored();
    all.push(command);
    ignored.add(command.id);
    await play(relay, command, { tool: 'ask' }, gateway.audit);
  });
  await Promise.all([
    ...['run', 'run', 'ask', 'ask', 'ask'].map((tool) => lane(tool as 'run')),
    ...unanswered,
  ]);
}

/** A person who approves all questions except those that must stay unanswered. */
async function approveAll(
  admin: GatewayClient,
  ignored: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { approvals } = await admin
      .call(WardenServiceService.listApprovals, firstPage)
      .catch(() => ({ approvals: [] }));
    const due = approvals.filter(({ executionId }) => !ignored.has(executionId));
    await Promise.allSettled(due.map((each) => approve(admin, each)));
    await sleep(10);
  }
}

const firstPage = { limit: 1000, pageToken: '' };

function approve(
  admin: GatewayClient,
  { id, planHash }: { readonly id: string; readonly planHash: string },
): Promise<unknown> {
  const rest = { planHash, reason: '', grantSeconds: 0, via: 'test' };
  return admin.call(WardenServiceService.resolveApproval, { id, verdict: Verdict.APPROVE, ...rest });
}

/** One run of the gateway, killed under load: at its beginning, or when some commands run. Returns the unanswered questions. */
async function killUnderLoad(dice: Dice): Promise<Mirrored[]> {
  const [relay, admin] = await Promise.all([gateway.relay(), gateway.admin()]);
  const ignored = new Set<string>();
  const over = new AbortController();
  const from = all.length;
  const work = [load(relay, dice, ignored, over.signal), approveAll(admin, ignored, over.signal)];
  const isEarly = dice.below(4) === 0;
  const running = () => all.slice(from).filter(({ starts }) => starts > 0).length;
  if (!isEarly) await expect.poll(running, { interval: 10 }).toBeGreaterThan(6);
  await sleep(dice.below(isEarly ? 200 : 300));
  over.abort();
  await gateway.end('SIGKILL');
  await Promise.all(work);
  relay.close();
  admin.close();
  return all.slice(from).filter(({ id, approvalId }) => ignored.has(id) && approvalId !== '');
}

async function bringBack(left: readonly Mirrored[]): Promise<void> {
  const [relay, admin] = await Promise.all([gateway.relay(), gateway.admin()]);
  try {
    await answerAll(left, relay, admin);
  } finally {
    // A relay that stays open would take the place of those of a retry.
    relay.close();
    admin.close();
  }
}

async function answerAll(
  left: readonly Mirrored[],
  relay: GatewayClient,
  admin: GatewayClient,
): Promise<void> {
  const waiting = await admin.call(WardenServiceService.listApprovals, firstPage);
  const ids = waiting.approvals.map(({ id }) => id);
  expect(left.filter(({ approvalId }) => !ids.includes(approvalId))).toEqual([]);
  const back = left.map((command) => play(relay, command, 'resume', gateway.audit));
  await sleep(50);
  expect(left.filter(({ starts }) => starts > 0)).toEqual([]);
  await Promise.all(left.map(({ approvalId: id, planHash }) => approve(admin, { id, planHash })));
  await Promise.all(back);
  expect(left.map(howItEnded)).toEqual(left.map(() => ({ starts: 1, code: 7, why: '' })));
}

function howItEnded({ starts, outcome, broken }: Mirrored) {
  const why = outcome === undefined ? broken : [outcome.reason, outcome.text].filter(Boolean).join(': ');
  return { starts, code: outcome?.code, why };
}

interface Line {
  readonly type: string;
  readonly execution: string;
  readonly decision: string;
  readonly outcome: string;
  readonly code: number;
}

/** The ends in the audit of all allowed commands; the history must agree for the newest ones. */
async function expectOneEndEach(admin: GatewayClient): Promise<void> {
  // The last outcomes are recorded after the answers.
  await expect.poll(async () => strangeLives(await auditLines(), await openOnes(admin))).toEqual([]);
  const ends = new Map(
    (await auditLines()).filter(({ type }) => type === 'outcome').map((end) => [end.execution, end]),
  );
  const newest = {
    running: false,
    agent: '',
    since: '',
    decision: '',
    tool: '',
    q: '',
    limit: 1000,
    pageToken: '',
  };
  const { executions } = await admin.call(WardenServiceService.listExecutions, newest);
  const wrong = executions.filter(({ id, outcome, exitCode }) => {
    const end = ends.get(id) ?? { outcome: '', code: 0 };
    return end.outcome !== outcome || end.code !== exitCode;
  });
  expect(wrong).toEqual([]);
  expect(executions.some(({ reason }) => reason === 'gateway-lost')).toBe(true);
  admin.close();
}

/** Approved questions whose callers may still come back. */
async function openOnes(admin: GatewayClient): Promise<Set<string>> {
  const running = {
    running: true,
    agent: '',
    since: '',
    decision: '',
    tool: '',
    q: '',
    limit: 1000,
    pageToken: '',
  };
  const { executions } = await admin.call(WardenServiceService.listExecutions, running);
  return new Set(executions.map(({ id }) => id));
}

async function auditLines(): Promise<Line[]> {
  const files = [...(await rotatedFiles(gateway.audit)), gateway.audit];
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}

function strangeLives(lines: readonly Line[], open: ReadonlySet<string>): string[] {
  const lives = Map.groupBy(lines, ({ execution }) => execution);
  const begun = lines.filter(({ type, decision }) => type === 'decision' && decision !== 'deny');
  return begun.flatMap(({ execution: id }) => {
    const types = lives.get(id)?.map(({ type }) => type) ?? [];
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    const ends = count('outcome') + Number(open.has(id));
    const right = count('decision') === 1 && count('verdict') <= 1 && count('start') <= 1 && ends === 1;
    return right ? [] : [`${id}: ${types.join(', ')}`];
  });
}

test(`P15 P25 A-46: SIGKILL of the gateway at ${rounds} moments under load (CLAWRDEN_SEED=${seed}): no start before its record or twice, one end for each, the chain holds, questions wait on`, {
  timeout: 30_000 + rounds * 15_000,
}, async () => {
  const dice = seeded(seed);
  for (let round = 0; round < rounds; round += 1) {
    const left = await killUnderLoad(dice);
    await gateway.start();
    await bringBack(left);
  }
  const started = all.filter(({ starts }) => starts > 0);
  expect(started.length).toBeGreaterThan(rounds * 3);
  expect(all.flatMap(({ unaudited }) => unaudited)).toEqual([]);
  expect(all.filter(({ starts }) => starts > 1)).toEqual([]);
  await expectOneEndEach(await gateway.admin());
  await gateway.end('SIGTERM');
  const key = createPublicKey(readFileSync(join(gateway.state, 'signing-key.pem')));
  const report = await verifyAudit([...(await rotatedFiles(gateway.audit)), gateway.audit], { key });
  expect(report.problem).toBeUndefined();
  expect(report.records).toBeGreaterThan(started.length * 2);
});
