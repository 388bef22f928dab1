import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { clawrden } from '../cli/clawrden.ts';
import { type First, type Mirrored, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const { getExecution, resolveApproval } = WardenServiceService;
const rounds = process.env['CLAWRDEN_LONG'] === '1' ? 500 : 20;

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

/** A question, until `cancel`: then its caller goes away for good. */
async function asked(first: First) {
  const command = newMirrored();
  const leaves = new AbortController();
  const ended = play(relay, command, first, gateway.audit, leaves.signal);
  await expect.poll(() => command.approvalId || command.outcome?.reason, { interval: 1 }).toBeTruthy();
  return { command, ended, cancel: () => leaves.abort() };
}

function answer(
  { approvalId: id }: Mirrored,
  planHash: string,
  grantSeconds = 0,
  verdict: Verdict = Verdict.APPROVE,
) {
  return admin.call(resolveApproval, { id, planHash, verdict, reason: '', grantSeconds, via: 'test' });
}

/** With a context of its own, to which nothing was shown yet. */
async function otherApprover(): Promise<RealGateway['cli']> {
  const context = `${gateway.context}.other`;
  await copyFile(gateway.context, context);
  return (...args) => clawrden(['--context', context, ...args]);
}

function deny(command: Mirrored): Promise<unknown> {
  return answer(command, command.planHash, 0, Verdict.DENY);
}

test('A-79: the largest questions and commands of one agent leave every list of every operator working, and the other agent in it', {
  timeout: 120_000,
}, async () => {
  const word = '\u0001'.repeat(9_000);
  const questions = await Promise.all(
    Array.from({ length: 20 }, (_, index) => asked({ tool: 'ask', args: [word, `${index}`] })),
  );
  expect(questions.map(({ command }) => command.outcome?.reason)).toEqual(questions.map(() => undefined));
  const other = await asked({ tool: 'ask', agent: 'other', args: ['small'] });
  const refused = await asked({ tool: 'ask', args: ['\u0001'.repeat(11_000)] });
  await refused.ended;
  expect(refused.command).toMatchObject({
    approvalId: '',
    starts: 0,
    outcome: { reason: 'plan-too-large', code: 1 },
  });
  const largest = newMirrored();
  await play(
    relay,
    largest,
    { tool: 'run', args: Array.from({ length: 8 }, () => 'x'.repeat(128_000)) },
    gateway.audit,
  );
  expect(largest).toMatchObject({ starts: 1, outcome: { code: 7 } });

  for (const list of [
    ['pending'],
    ['pending', '--json'],
    ['ps'],
    ['ps', '--json', '--limit', '2'],
    ['history', '--json'],
  ]) {
    const { code, stdout } = await gateway.cli(...list);
    expect([list, code]).toEqual([list, 0]);
    expect(stdout).toMatch(/\bother\b/);
  }
  const { execution } = await admin.call(getExecution, { id: largest.id, caller: '' });
  expect(execution).toMatchObject({ id: largest.id, plan: '', cut: { words: 9 } });
  const shown = await gateway.cli('show', questions[0]!.command.approvalId, '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ plan: { argv: ['ask', word, '0'] } });
  await Promise.all([...questions, other].map(({ command }) => deny(command)));
  await Promise.all([...questions, other].map(({ ended }) => ended));
});

test('A-80: a verdict without a hash, or with that of another or an earlier question, counts for nothing', async () => {
  const before = await asked({ tool: 'ask', args: ['before'] });
  const { command, ended } = await asked({ tool: 'ask', args: ['now'] });
  const hash = command.planHash;
  await expect(answer(command, '')).rejects.toMatchObject({ code: 3, details: /plan_hash/ });
  const wrong = [
    before.command.planHash,
    hash.toUpperCase(),
    hash.slice(0, 63),
    `${hash}0`,
    hash.replace(/^./, 'g'),
  ];
  for (const other of wrong)
    for (const verdict of [Verdict.APPROVE, Verdict.DENY])
      await expect(answer(command, other, 0, verdict)).rejects.toMatchObject({
        ...{ code: 9, details: expect.stringMatching(/^plan-changed: /) },
      });
  for (const id of [command.approvalId.slice(0, 31), command.approvalId.slice(0, 8), '', command.id])
    await expect(answer({ ...command, approvalId: id }, hash)).rejects.toMatchObject({ code: 5 });
  await answer(command, hash);
  await ended;
  expect([command.starts, before.command.starts]).toEqual([1, 0]);
  await deny(before.command);
  await before.ended;
});

test('A-80: a question that is asked again until its id suits the prefix that was read is not what the prefix approves', {
  timeout: 120_000,
}, async () => {
  const cli = await otherApprover();
  const read = await asked({ tool: 'ask', args: ['harmless'] });
  expect(await cli('show', read.command.approvalId)).toMatchObject({ code: 0 });
  read.cancel();
  await read.ended;
  const prefix = read.command.approvalId.slice(0, 1);
  let evil = await asked({ tool: 'ask', args: ['evil'] });
  while (!evil.command.approvalId.startsWith(prefix)) {
    evil.cancel();
    await evil.ended;
    evil = await asked({ tool: 'ask', args: ['evil'] });
  }
  const said = await cli('approve', prefix);
  expect(said).toMatchObject({ code: 1, stderr: expect.stringMatching(/requester is gone/) });
  const unseen = await cli('approve', evil.command.approvalId.slice(0, 6));
  expect(unseen).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/was not shown here; look at it first: clawrden show/),
  });
  expect(evil.command.starts).toBe(0);
  // A person who has looked at it can approve it.
  await cli('show', evil.command.approvalId);
  expect(await cli('approve', evil.command.approvalId.slice(0, 6))).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('ask evil') },
  });
  await evil.ended;
  expect(evil.command.starts).toBe(1);
});

test('A-80: a verdict that races the question being cancelled and asked anew starts nothing but what was shown', {
  timeout: 60_000,
}, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const first = await asked({ tool: 'ask', args: ['shown', `${round}`] });
    const { approvalId, planHash } = first.command;
    first.cancel();
    const [second] = await Promise.all([
      asked({ tool: 'ask', args: ['other', `${round}`] }),
      answer(first.command, planHash).catch(() => undefined),
    ]);
    await expect(answer(second.command, planHash)).rejects.toMatchObject({ code: 9 });
    expect(second.command.approvalId).not.toBe(approvalId);
    await deny(second.command);
    await Promise.all([first.ended, second.ended]);
    expect(second.command.starts).toBe(0);
  }
});

test('A-82: a grant is for what was inspected, for exactly the time that was said', async () => {
  const unseen = await asked({ tool: 'ask', args: ['anything'] });
  await expect(answer(unseen.command, unseen.command.planHash, 60)).rejects.toMatchObject({
    ...{ code: 9, details: expect.stringMatching(/not for a while: not all of it was inspected/) },
  });
  const line = ['approve', unseen.command.approvalId, '--hash', unseen.command.planHash];
  expect(await gateway.cli(...line, '--for', '90s')).toMatchObject({
    ...{
      code: 1,
      stderr: expect.stringMatching(/^clawrden: approve: not for a while: [^\n]+ without --for\n$/),
    },
  });
  await deny(unseen.command);
  await unseen.ended;

  const plain = { tool: 'touch', args: ['x'] } as const;
  const { command, ended } = await asked(plain);
  await expect(answer(command, command.planHash, 86_401)).rejects.toMatchObject({ code: 3 });
  await answer(command, command.planHash, 2);
  await ended;
  const until = Date.now() + 2000;
  const again = newMirrored();
  await play(relay, again, plain, gateway.audit);
  if (Date.now() < until) expect(again).toMatchObject({ approvalId: '', starts: 1 });
  const audit = readFileSync(gateway.audit, 'utf8').split('\n');
  const verdict = audit.find((each) => each.includes(`"approval":"${command.approvalId}"`)) ?? '{}';
  expect(JSON.parse(verdict)).toMatchObject({ type: 'verdict', grantMs: 2000 });
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - Date.now() + 20)));
  const later = await asked(plain);
  expect(later.command.starts).toBe(0);
  await deny(later.command);
  await later.ended;
});
