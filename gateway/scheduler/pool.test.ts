import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { AgentConfig, GatewayConfig, HostConfig, SyncConfig } from '../../src/config/gateway-config.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { followingOf } from '../workspaces/home-of.ts';
import type { DockerHost } from './hosts/docker-host.ts';
import { openPool } from './pool.ts';
import { shapeKey } from './warm/ghost-shape.ts';
import { type GhostlyEngine, ghostlyEngine } from './warm/waiting-ghost.fixture.ts';

const policyText = `version: 1
tools:
  npm: { strategy: ghost, image: "node:24" }
rules:
  - { name: npm, tools: [npm], action: allow }
complete: true
`;
const parsed = parsePolicy(policyText, 'policy.yaml');
if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
const { policy } = parsed;

const host: HostConfig = { name: 'a', engine: 'unix:///a', labels: {}, slots: 8, warm: 4, starts: 3 };
const second: HostConfig = { ...host, name: 'b', engine: 'unix:///b', warm: 0 };
const limits = { entries: 10, bytes: 10, file: 10, depth: 10 };
const sync: SyncConfig = {
  ...{ seenBy: {}, hostBytes: 100 },
  carried: { excludes: [], conflicts: 'keep-agent', limits },
};
const coder: AgentConfig = {
  ...{ name: 'coder', relay: 'r', users: [{ uid: 1, gid: 1 }], labels: {}, hosts: {}, cwd: '/app' },
  workspace: { kind: 'bind', source: '/srv', sync },
};
const config = {
  ...{ hosts: [host, second], agents: [coder], warm: [{ agent: 'coder', tool: 'npm', size: 1 }] },
  session: { idleMs: 60_000, maxAgeMs: 600_000 },
  limits: { startTimeoutMs: 5000, running: 100, queued: 10, queueTimeoutMs: 1000 },
} as unknown as GatewayConfig;

function engineOf(name: string): GhostlyEngine {
  const engine = ghostlyEngine(name);
  engine.watch = async (options, signal) => {
    options.onOpen?.(1);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  return engine;
}

/** A pool with a ghost that was started ahead for `coder`, on the first of two hosts. */
async function start(given = config) {
  const engines = { a: engineOf('a'), b: engineOf('b') };
  const pool = openPool({
    openEngine: ({ name }) => engines[name === 'a' ? 'a' : 'b'],
    ...{ config: given, policy: () => policy, record: () => {} },
    ...{ drained: new Set<string>(), log: pino({ level: 'silent' }) },
  });
  const { hosts } = pool.scheduler;
  const [{ warm }] = hosts as [DockerHost];
  const { started } = engines.a;
  const states = () => hosts.map(({ state }) => state);
  await vi.waitFor(() => expect([started.length, warm.coming]).toEqual([1, 0]), 5000);
  await vi.waitFor(() => expect(states()).toEqual(['ready', 'ready']), 5000);
  const { ghost, shape } = started[0]!;
  /** Of a command like the one for which the ghost was started, whose agent is as `known`. */
  const keyFor = (known: AgentConfig) => {
    const { following: _before, ...rest } = shape;
    const following = followingOf(known);
    return shapeKey({ ...rest, ...(following !== undefined && { following }) });
  };
  /** A session on each host. */
  const sessions = async () => {
    const both = hosts.map((only) => {
      const request = { shape, key: only.name, labels: {}, avoid: new Map(), only };
      return pool.sessions.of(request, () => {});
    });
    await vi.waitFor(() => expect(both.map((each) => each.host?.name)).toEqual(['a', 'b']), 5000);
    return () => both.map(({ isOpen }) => isOpen);
  };
  return { pool, ghost, warm, keyFor, sessions };
}

const bind = { kind: 'bind', source: '/srv' } as const;
const seenBy = { ...coder, workspace: { ...bind, sync: { ...sync, seenBy: { a: 'b' } } } };

test.each<readonly [string, Partial<AgentConfig>]>([
  ['another relay', { relay: 's' }],
  ['no workspace that is followed', { workspace: bind }],
  ['hosts that see its home', seenBy],
])('A-572 P13: a ghost that waits serves no command once its agent has %s', async (_what, change) => {
  const { pool, ghost, warm, keyFor } = await start();
  const after = { ...coder, ...change };
  expect(warm.has(keyFor(coder))).toBe(true);
  using prepared = pool.prepare({ ...config, agents: [after] });
  prepared.apply();
  // The same mounts and the same wish.
  expect(warm.claim(keyFor(after))).toBeUndefined();
  await vi.waitFor(() => expect(warm.has(keyFor(after))).toBe(true), 5000);
  expect([ghost.did, warm.has(keyFor(coder))]).toEqual([['release'], false]);
  await pool.close();
});

test('A-572 P13: what waits on a host that comes to see homes serves no command any more', async () => {
  const { pool, ghost, warm, keyFor, sessions } = await start({ ...config, agents: [seenBy] });
  const areOpen = await sessions();
  expect([warm.has(keyFor(seenBy)), areOpen()]).toEqual([true, [true, true]]);
  const sees = { ...host, labels: { a: 'b' } };
  using prepared = pool.prepare({ ...config, agents: [seenBy], hosts: [sees, second] });
  prepared.apply();
  expect([ghost.did, warm.has(keyFor(seenBy)), areOpen()]).toEqual([['release'], false, [false, true]]);
  await pool.close();
});

test('A-573 P20: a replica that goes on one host ends the sessions of its agent there, and no other', async () => {
  const { pool, sessions } = await start();
  const areOpen = await sessions();
  pool.forget('another', 'a');
  expect(areOpen()).toEqual([true, true]);
  pool.forget('coder', 'a');
  expect(areOpen()).toEqual([false, true]);
  await pool.close();
});
