import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import type { Channel, FromCaller } from '../../gateway/ports/channel.ts';
import { startsAtOnce } from '../../shim/relay/agents/serve-agent.ts';
import { failure, type Outcome } from '../../src/outcome.ts';
import { canonicalJson, type Plan, planHash } from '../../src/plan.ts';
import { FrameType } from '../../src/wire/frames.ts';
import { version1 } from './requests.ts';
import { accepted } from './scripted.ts';
import { startRelay, user } from './start-relay.ts';

const plan: Plan = {
  agent: 'coder',
  argv: ['ls', '-la'],
  env: [],
  cwd: '/app',
  workspace: '/app',
  ...user,
  umask: 0o22,
  strategy: 'mirror',
  mounts: [],
  network: 'none',
  limits: { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 },
  stdin: 'pipe',
  timeoutMs: 0,
  idleTimeoutMs: 0,
  policyHash: '',
};

function runHere(channel: Channel, change: Partial<Plan> = {}, hash?: string): void {
  const canonicalPlan = canonicalJson({ ...plan, ...change });
  void channel.send({ type: 'run-here', planHash: hash ?? planHash(canonicalPlan), canonicalPlan });
}

/** Like the gateway's own mirror: the relay's report of the end is the end. */
function untilMirrorEnd(channel: Channel, onInput: (input: FromCaller) => void = () => {}): Promise<Outcome> {
  return new Promise((resolve) =>
    channel.listen((input) => {
      onInput(input);
      if (input.type === 'mirror-end') resolve(input.outcome);
    }),
  );
}

test('an engine that does not answer is 125 host-lost behind ack 0', async () => {
  await using relay = await startRelay({
    execute: (_caller, _request, channel) => {
      runHere(channel);
      return untilMirrorEnd(channel);
    },
  });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([0]);
  expect(shim.output(2)).toMatch(/^clawrden: host-lost: the agent host's engine does not answer: /);
  expect(shim.exit).toEqual([125, 0]);
});

test('an engine that takes the call and says nothing is 125 start-timeout after 10 s', async ({ skip }) => {
  skip(process.env['CLAWRDEN_LONG'] !== '1', 'it waits for 10 s: scripts/test --long');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-engine-'));
  const socket = join(folder.path, 'docker.sock');
  await using engine = createServer((taken) => taken.resume()).listen(socket);
  await once(engine, 'listening');
  await using relay = await startRelay({
    engine: `unix://${socket}`,
    execute: (_caller, _request, channel) => {
      runHere(channel);
      return untilMirrorEnd(channel);
    },
  });
  const began = performance.now();
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([0]);
  expect(shim.output(2)).toMatch(/^clawrden: start-timeout: /);
  expect(shim.exit).toEqual([125, 0]);
  expect(performance.now() - began).toBeGreaterThan(9900);
  expect(performance.now() - began).toBeLessThan(12_000);
});

test('A-107: only a few commands of an agent are with an engine that is slow', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-engine-'));
  const socket = join(folder.path, 'docker.sock');
  const asked = new Set<Socket>();
  let isSlow = true;
  await using engine = createServer((taken) => {
    asked.add(taken.resume());
    taken.on('close', () => asked.delete(taken)).on('error', () => {});
    if (!isSlow) taken.destroy();
  }).listen(socket);
  await once(engine, 'listening');
  await using relay = await startRelay({
    engine: `unix://${socket}`,
    execute: (_caller, _request, channel) => {
      runHere(channel);
      return untilMirrorEnd(channel);
    },
  });
  const shims = Array.from({ length: 24 }, () => relay.shim().request(version1));
  await expect.poll(() => shims.filter(({ acks }) => acks.length > 0), { timeout: 8000 }).toHaveLength(24);
  await expect.poll(() => asked.size, { timeout: 8000 }).toBe(startsAtOnce);
  // Every one that ends lets the next one in.
  isSlow = false;
  for (const taken of asked) taken.destroy();
  await Promise.all(shims.map(({ closed }) => closed));
  expect(shims.map((shim) => shim.output(2).slice(0, 20))).toEqual(shims.map(() => 'clawrden: host-lost:'));
});

test('a signal that the gateway sees only behind its answer ends the command all the same', async () => {
  const execute: Execute = (_caller, _request, channel) =>
    untilMirrorEnd(channel, ({ type }) => {
      if (type === 'signal') runHere(channel);
    });
  await using relay = await startRelay({ execute });
  const shim = relay.shim().request(version1).frame(FrameType.signal, Uint8Array.of(2));
  await shim.closed;
  expect(shim.output(2)).toBe('');
  expect(shim.exit).toEqual([0, 2]);
});

test('what the gateway says of the end is what the shim is told', async () => {
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      runHere(channel);
      return failure('canceled', 'killed by person:admin');
    },
  });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.output(2)).toBe('clawrden: canceled: killed by person:admin\n');
  expect(shim.exit).toEqual([125, 0]);
});

test.each<[string, Partial<Plan>, string?]>([
  ['for another agent', { agent: 'other' }],
  ['for another uid', { uid: 0 }],
  ['for another gid', { gid: 0 }],
  ['that is no mirror', { strategy: 'ghost' }],
  ['with another hash', {}, 'f'.repeat(64)],
  ['with another tool (A-144)', { argv: ['rm', '-la'] }],
  ['with an argument more (A-144)', { argv: ['ls', '-la', 'x'] }],
  ['with an argument less (A-144)', { argv: ['ls'] }],
  ['with another cwd (A-144)', { cwd: '/app/x' }],
  ['with another umask (A-144)', { umask: 0 }],
  ['with a variable of its own (A-144)', { env: ['LANG=C.UTF-8', 'LC_ALL=C'] }],
  ["with another value of the shim's variable (A-144)", { env: ['LANG=C'] }],
])('P9 a plan %s is not run', async (_what, change, hash) => {
  const inputs: string[] = [];
  await using relay = await startRelay({
    execute: (_caller, _request, channel) => {
      void channel.send(accepted);
      runHere(channel, change, hash);
      return untilMirrorEnd(channel, ({ type }) => inputs.push(type));
    },
  });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.output(2)).toMatch(/^clawrden: internal: the gateway sent a plan that is not this command's/);
  expect(shim.exit).toEqual([125, 0]);
  expect(inputs).toEqual([]);
});

test.each<[string, Partial<Plan>, object]>([
  ['fewer variables', { env: ['LANG=C.UTF-8'] }, {}],
  ['the cwd written plainly', { cwd: '/app/x' }, { cwd: '/app/./y/..//x/' }],
])('A-144: a plan with %s, unlike what was sent, is this command’s', async (_what, change, asked) => {
  await using relay = await startRelay({
    execute: (_caller, _request, channel) => {
      runHere(channel, change);
      return untilMirrorEnd(channel);
    },
  });
  const shim = relay.shim().request({ ...version1, ...asked });
  await shim.closed;
  // It went on to the engine, which is not there.
  expect(shim.output(2)).toMatch(/^clawrden: host-lost: /);
});

const script = { ...version1, command: 'sh', args: ['x.sh'] };

/** Like the gateway's own inspector: the relay's findings are the end. */
function inspectHere(channel: Channel, change: Partial<Plan> = {}): Promise<Outcome> {
  const canonicalPlan = canonicalJson({
    ...plan,
    argv: ['sh', 'x.sh'],
    scripts: [{ path: 'x.sh' }],
    ...change,
  });
  void channel.send({ type: 'inspect-here', planHash: planHash(canonicalPlan), canonicalPlan });
  return new Promise((resolve) =>
    channel.listen((input) => {
      if (input.type !== 'inspected') return;
      resolve(
        input.found instanceof Error
          ? failure(input.found.code, input.found.message)
          : failure('internal', `found ${input.found.size}`),
      );
    }),
  );
}

test('P9 scripts that cannot be looked at are said to the gateway, and the shim waits behind ack 2', async () => {
  await using relay = await startRelay({ execute: (_caller, _request, channel) => inspectHere(channel) });
  const shim = relay.shim().request(script);
  await shim.closed;
  expect(shim.acks).toEqual([2, 0]);
  expect(shim.output(2)).toMatch(/^clawrden: host-lost: the agent host's engine does not answer: /);
  expect(shim.exit).toEqual([125, 0]);
});

test('a gateway of before, whose plans name no scripts, is told apart', async () => {
  const unnamed: Execute = (_caller, _request, channel) => inspectHere(channel, { scripts: [] });
  await using relay = await startRelay({ execute: unnamed });
  const shim = relay.shim().request(script);
  await shim.closed;
  expect(shim.output(2)).toMatch(/^clawrden: internal: .*upgrade it/);
  expect(shim.exit).toEqual([125, 0]);
});

test.each<[string, Partial<Plan>]>([
  ['user', { uid: 0 }],
  ['command (A-144)', { argv: ['sh', 'y.sh'], scripts: [{ path: 'y.sh' }] }],
])('P9 scripts are looked at for no plan of another %s', async (_what, change) => {
  await using relay = await startRelay({
    execute: (_caller, _request, channel) => inspectHere(channel, change),
  });
  const shim = relay.shim().request(script);
  await shim.closed;
  expect(shim.output(2)).toMatch(/^clawrden: internal: the gateway sent a plan that is not this command's/);
  expect(shim.exit).toEqual([125, 0]);
});
