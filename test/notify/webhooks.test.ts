import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { freePort } from '../stack/free-port.ts';
import { type First, newMirrored, play } from '../warden/mirrored.ts';
import { type RealGateway, startRealGateway } from '../warden/real-gateway.ts';
import { startReceiver } from './receiver.ts';

const secret = 'a secret of the test';
const waiting = { timeout: 60_000, interval: 50 } as const;

async function asked(relay: GatewayClient, gateway: RealGateway, first: First) {
  const command = newMirrored();
  const ended = play(relay, command, first, gateway.audit);
  await expect.poll(() => command.approvalId || command.outcome?.reason, waiting).toBeTruthy();
  return { command, ended };
}

test('a webhook is told, signed, of questions and their ends, of breakers, of a lockdown and of a host that is down, also of what happened while it was away or no gateway ran', {
  timeout: 300_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-hook-'));
  const file = join(folder, 'secret');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  const port = await freePort();
  const hook = { url: `http://127.0.0.1:${port}/hook`, secret: { file }, private: true };
  const policy = 'breakers: [{ name: stuck, repeats: 3, action: refuse, agents: [other] }]\n';
  const webhooks = [
    { name: 'pager', ...hook },
    { name: 'quiet', ...hook, url: `${hook.url}/quiet`, tells: [] },
  ];
  const hosts = [{ name: 'away', engine: 'unix:///nonexistent/docker.sock' }];
  await using gateway = await startRealGateway({ policy, hosts, keys: { notify: { webhooks } } });
  let relay = await gateway.relay();

  // Nobody listens: the command waits for its answer and for nothing else.
  const first = await asked(relay, gateway, {
    tool: 'ask',
    args: ['--token', 'hunter2hunter2', '\u202Ename\n'],
  });
  const admin = await gateway.admin();
  const say = { id: first.command.approvalId, planHash: first.command.planHash, reason: '', grantSeconds: 0 };
  await admin.call(WardenServiceService.resolveApproval, { ...say, verdict: Verdict.DENY, via: 'test' });
  await first.ended;
  await gateway.end('SIGKILL');
  relay.close();
  admin.close();

  await using receiver = await startReceiver(secret, port);
  receiver.answer = { status: 503 };
  await gateway.start();
  await expect.poll(() => receiver.received.length, waiting).toBeGreaterThan(1);
  receiver.answer = { status: 204 };
  const taken = receiver.received.length;
  const of = (event: string) => receiver.received.slice(taken).filter((each) => each.event === event);
  await expect.poll(() => [of('question').length, of('question-ended').length], waiting).toEqual([1, 1]);
  const [told] = of('question');
  expect(told).toMatchObject({
    path: '/hook',
    isSigned: true,
    delivery: `question/${first.command.approvalId}`,
    body: { version: 1, event: 'question', id: `question/${first.command.approvalId}` },
  });
  expect(Math.abs(Date.now() / 1000 - (told?.seconds ?? 0))).toBeLessThan(60);
  expect(told?.body.question).toMatchObject({
    id: first.command.approvalId,
    agent: 'coder',
    masked: true,
    plan: { argv: ['ask', '--token', '[masked: 14 characters]', '\u202Ename\n'] },
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
  expect(told?.text).toMatch(/^[\x20-\x7e]+$/);
  expect(told?.text).not.toContain('hunter2');
  // Neither that there is a plan of this hash: guesses at what is masked could be tried with it.
  for (const { text } of receiver.received) expect(text).not.toContain(first.command.planHash.slice(0, 8));
  expect(of('question-ended')[0]?.body.question).toMatchObject({
    id: first.command.approvalId,
    state: 'denied',
    by: 'person:admin',
  });

  // By this gateway, and by the one before it, which nobody heard.
  await expect
    .poll(() => of('host-down').map(({ body }) => [body['host'], body['reason']]), waiting)
    .toEqual(Array.from({ length: 2 }, () => ['away', expect.stringContaining('ENOENT')]));

  relay = await gateway.relay();
  for (let at = 0; at < 4; at += 1) {
    const command = newMirrored();
    await play(relay, command, { tool: 'run', agent: 'other', args: ['same'] }, gateway.audit);
  }
  await expect
    .poll(() => of('agent-stopped')[0]?.body, waiting)
    .toMatchObject({ agent: 'other', by: 'breaker:stuck' });
  // Its relay does not say that anything has ended.
  await gateway.cli('lockdown', 'on', '--reason', 'a test');
  await expect.poll(() => of('lockdown').length, waiting).toBe(1);
  const policyFile = join(gateway.state, 'policy.yaml');
  await writeFile(policyFile, `${readFileSync(policyFile, 'utf8')}\nmore: 1\n`);
  await expect.poll(() => of('policy-refused').length, waiting).toBe(1);
  expect(receiver.received.filter(({ isSigned, path }) => !isSigned || path !== '/hook')).toEqual([]);

  const { stdout } = await gateway.cli('doctor', '--config', gateway.config, '--json');
  const findings = JSON.parse(stdout) as { check: string; level: string; text: string }[];
  expect(findings.find(({ check }) => check === 'webhook pager')).toMatchObject({ level: 'ok' });
  expect(new Set(of('ping').map(({ path, isSigned }) => `${path} ${isSigned}`))).toEqual(
    new Set(['/hook true', '/hook/quiet true']),
  );
  // Each once, however often it is looked at.
  expect([of('host-down').length, of('lockdown').length, of('policy-refused').length]).toEqual([2, 1, 1]);
  expect(readFileSync(gateway.log, 'utf8')).not.toContain(secret);
  relay.close();
  await rm(folder, { recursive: true });
});
