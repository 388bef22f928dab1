import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { UnaryMethod } from '../../src/gateway-client/unary-call.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import type { Route } from '../../src/http-api/route.ts';
import { routes } from '../../src/http-api/routes.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { Place } from '../grpc/place.ts';
import { type First, type Mirrored, newMirrored, play } from './mirrored.ts';
import { startTwoRelays, type TwoRelays } from './two-relays.ts';

let site: TwoRelays;
beforeAll(async () => {
  site = await startTwoRelays();
});
afterAll(() => site?.[Symbol.asyncDispose]());

function begin(client: GatewayClient, first: First | 'resume', command = newMirrored()) {
  return { command, ended: play(client, command, first, site.audit) };
}

const own = (first: Partial<First> = {}): First => ({ tool: 'ask', agent: 'other', ...first });

/** A question of the neighbour's agent, and what it takes to answer it. */
async function asked(): Promise<{ command: Mirrored; ended: Promise<void> }> {
  const one = begin(site.neighbour, own());
  await expect.poll(() => one.command.approvalId).not.toBe('');
  return one;
}

async function approve({ approvalId: id, planHash }: Mirrored): Promise<void> {
  const said = { id, planHash, verdict: Verdict.APPROVE, reason: '', grantSeconds: 0, via: '' };
  await site.admin.call(WardenServiceService.resolveApproval, said);
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 0,
    ({ code }: ServiceError) => code,
  );

test('P3 P17: who stole a relay may make no call of people, whatever it names, and no call over HTTP', async () => {
  const { command, ended } = await asked();
  const { id, approvalId, planHash } = command;
  const names = {
    id,
    executionId: id,
    approvalId,
    planHash,
    name: 'other',
    agent: 'other',
    relay: 'host-2',
    principal: 'relay:host-2',
  };
  for (const [name, method] of Object.entries(WardenServiceService)) {
    if (method.responseStream) continue;
    const unary = method as unknown as UnaryMethod<object, object> & {
      requestDeserialize: (bytes: Buffer) => object;
    };
    const request = { ...unary.requestDeserialize(Buffer.alloc(0)), ...names };
    expect([name, await codeOf(site.thief.call(unary, request))]).toEqual([name, 7]);
  }
  const watched = site.thief.watchApprovals();
  expect(
    await new Promise((resolve) =>
      watched.on('error', ({ code }: ServiceError) => resolve(code)).on('data', resolve),
    ),
  ).toBe(7);
  const { token } = await site.thief.call(RelayServiceService.token, {});
  for (const { method, path, open = false } of Object.values<Route>(routes)) {
    // Open to everybody: whether it lives, and whether people sign in by a provider.
    if (path === '/healthz' || path === '/api/v1/oidc') continue;
    const answer = await fetch(`${site.site.httpUrl}${path.replaceAll(/\{\w+\}/g, 'other')}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    // Ten wrong tokens a minute: then the source waits. To sign in takes a code, and this brings none.
    const refused = open ? [400, 415, 429] : [401, 429];
    expect([path, refused.includes(answer.status)]).toEqual([path, true]);
  }
  await approve(command);
  await ended;
  expect([command.starts, command.outcome?.code]).toEqual([1, 7]);
});

test('A-89 P2 P3: it starts, resumes and ends nothing of another relay’s agent, and hears of it what it hears of an agent that is not there', async () => {
  const { command, ended } = await asked();
  const answers: string[] = [];
  for (const agent of ['other', 'no-one']) {
    const one = begin(site.thief, own({ tool: 'run', agent }));
    await one.ended;
    expect(one.command.starts).toBe(0);
    const { outcome, broken } = one.command;
    answers.push(`${outcome?.reason} ${outcome?.text} ${broken}`.replaceAll(agent, 'AGENT'));
  }
  expect(answers[0]).toBe(answers[1]);
  const taken = { ...newMirrored(), id: command.id, planHash: command.planHash };
  for (const first of ['resume', own({ agent: 'coder' }), own({ agent: 'coder', tool: 'run' })] as const) {
    const { command: mine, ended: over } = begin(site.thief, first, { ...taken });
    await over;
    expect([mine.starts, mine.approvalId]).toEqual([0, '']);
  }
  // What runs, too.
  const running = begin(site.neighbour, own({ tool: 'run', endless: true }));
  await expect.poll(() => running.command.starts).toBe(1);
  const stream = site.thief.execute();
  stream.on('error', () => {});
  stream.write({
    message: {
      $case: 'resume',
      value: { executionId: running.command.id, planHash: running.command.planHash },
    },
  });
  stream.write({ message: { $case: 'cancel', value: { requesterGone: false } } });
  await new Promise((resolve) => stream.on('status', resolve).on('data', () => {}));
  expect([running.command.outcome, running.command.broken]).toEqual([undefined, '']);
  await approve(command);
  await ended;
  expect([command.starts, command.outcome?.code]).toEqual([1, 7]);
});

test('A-89 P19: its word about another relay’s agent counts for nothing, nor has it a lane to its home', async () => {
  const report = { containerRunning: true, tools: ['forged'], problem: '', halted: true };
  const reports = ['coder', 'other'].map((name) => ({ name, ...report }));
  const tell = setInterval(() => site.report(reports), 100);
  const lane = site.thief.carry();
  const refused = new Promise((resolve) =>
    lane.on('error', ({ code }: ServiceError) => resolve(code)).on('data', () => resolve('data')),
  );
  lane.write({ message: { $case: 'start', value: { agent: 'other', home: undefined } } });
  expect([7, 5, 9]).toContain(await refused);
  const paused = await site.site.cli(['pause', 'other', '--reason', 'x']);
  expect(paused.stderr).toContain('other');
  expect(paused.code).toBe(1);
  clearInterval(tell);
  const { stdout } = await site.site.cli(['agents', '--json']);
  const agents = JSON.parse(stdout) as { name: string; tools: string[] }[];
  expect(agents.map(({ name, tools }) => [name, tools])).toEqual([
    ['coder', ['forged']],
    ['other', []],
  ]);
  await site.site.cli(['resume', 'other']);
});

const logLines = async (text: string) =>
  (await readFile(site.site.log, 'utf8')).split('\n').filter((line) => line.includes(text));

test('A-143: reasons that no relay has are a line a second in the log, with how many there were', async () => {
  const place = new Place(site.thief);
  const began = performance.now();
  let sent = 0;
  while (sent < 300) {
    const calls = Array.from({ length: 50 }, () =>
      place.execute({ refusal: { reason: `bogus${(sent += 1)}`, text: 'x'.repeat(5000) } }),
    );
    for (const end of await Promise.all(calls)) expect(end).toMatch(/^3 no relay has a reason to say "bogus/);
  }
  const told = () => logLines('no relay has a reason to say');
  const counted = (lines: string[]) =>
    lines.reduce((sum, line) => sum + Number(/\(the last of (\d+) in a second\)/.exec(line)?.[1] ?? 1), 0);
  await expect.poll(async () => counted(await told()), { timeout: 20_000 }).toBe(sent);
  expect((await told()).length).toBeLessThanOrEqual((performance.now() - began) / 1000 + 2);
});

test('A-146: of the tools that it reports, names that no tool has are dropped, and are a line a second in the log', async () => {
  const real = Array.from({ length: 200 }, (_, at) => `tool-${at}`);
  const hostile = ['a\u001b[2J', 'x\n| coder | online', 'b'.repeat(256), '\u202e', '-x', '.', '', 'a/b'];
  const report = { name: 'coder', containerRunning: true, problem: '', halted: false };
  const began = performance.now();
  for (let count = 0; count < 100; count += 1) site.report([{ ...report, tools: [...hostile, ...real] }]);
  const reported = async () => {
    const { stdout } = await site.site.cli(['agents', '--json']);
    return (JSON.parse(stdout) as { name: string; tools: string[] }[]).find(({ name }) => name === 'coder')
      ?.tools;
  };
  await expect.poll(reported, { timeout: 20_000 }).toEqual(real);
  const lines = () => logLines('a name that no tool has');
  await expect.poll(lines, { timeout: 20_000 }).not.toEqual([]);
  expect((await lines()).length).toBeLessThanOrEqual((performance.now() - began) / 1000 + 2);
  site.report([{ ...report, tools: [] }]);
});

test('P4: it renews its own name, whatever the request says', async () => {
  const { request: certificateRequest } = await makeCertificateRequest();
  const { certificate } = await site.thief.call(RelayServiceService.renew, { certificateRequest });
  const { subjectAltName } = new X509Certificate(certificate);
  expect(subjectAltName).toContain('relay/host-1');
  expect(subjectAltName).not.toContain('host-2');
});

const isLong = process.env['CLAWRDEN_LONG'] !== undefined;

interface Took {
  readonly wall: number;
  /** For so long the gateway had a processor meanwhile. */
  readonly ran: number;
}

/** What each of the neighbour's commands took, one after the other. */
async function commandsFor(ms: number): Promise<Took[]> {
  const took: Took[] = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const [began, ran] = [performance.now(), site.ranMs()];
    const { command, ended } = begin(site.neighbour, own({ tool: 'run' }));
    await ended;
    took.push({ wall: performance.now() - began, ran: site.ranMs() - ran });
    const { outcome } = command;
    expect([command.starts, outcome?.code, outcome?.reason, command.broken]).toEqual([1, 7, '', '']);
    await sleep(20);
  }
  return took;
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Infinity;
}

test('A-58 P20: while it floods every door at once, another relay’s commands are answered as if it were not there', {
  timeout: 180_000,
}, async () => {
  const { grpcAddress, enrollAddress, httpUrl } = site.site;
  const flood = JSON.stringify({ grpcAddress, enrollAddress, httpUrl, identityDir: site.stolen });
  const thief = spawn(process.execPath, [join(import.meta.dirname, 'relay-flood.ts'), flood], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let told = '';
  thief.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    told += chunk;
  });
  await expect.poll(() => told, { timeout: 30_000 }).toBe('on\n');
  const took = await commandsFor(isLong ? 30_000 : 4000);
  thief.stdin.end();
  await once(thief, 'close');
  const counts = JSON.parse(told.slice('on\n'.length)) as Record<string, number>;
  const [wall, ran] = [took.map((each) => each.wall), took.map((each) => each.ran)];
  const p99 = quantile(wall, 0.99);
  console.log(
    `${took.length} commands: p99 ${p99.toFixed()} ms, of processor ${quantile(ran, 0.99).toFixed()} ms`,
  );
  expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  expect(took.length).toBeGreaterThan(10);
  // Beside other tests the gateway waits for a processor; what a flood costs others is what it does meanwhile.
  expect(quantile(ran, 0.99)).toBeLessThan(1000);
  if (isLong) expect(p99).toBeLessThan(1000);
});
