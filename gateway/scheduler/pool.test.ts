import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { AgentConfig, GatewayConfig, HostConfig, SyncConfig } from '../../src/config/gateway-config.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { followingOf } from '../workspaces/home-of.ts';
import { openPool } from './pool.ts';
import { shapeKey } from './warm/ghost-shape.ts';
import { ghostlyEngine } from './warm/waiting-ghost.fixture.ts';

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

const host: HostConfig = { name: 'a', engine: 'unix:///none', labels: {}, slots: 8, warm: 4, starts: 3 };
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
  ...{ hosts: [host], agents: [coder], warm: [{ agent: 'coder', tool: 'npm', size: 1 }] },
  session: { idleMs: 60_000, maxAgeMs: 600_000 },
  limits: { startTimeoutMs: 5000, running: 100, queued: 10, queueTimeoutMs: 1000 },
} as unknown as GatewayConfig;

/** A pool with a ghost that was started ahead for `coder`. */
async function start() {
  const engine = ghostlyEngine('a');
  engine.watch = async (options, signal) => {
    options.onOpen?.(1);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  const pool = openPool({
    ...{ config, policy: () => policy, openEngine: () => engine, record: () => {} },
    ...{ drained: new Set<string>(), log: pino({ level: 'silent' }) },
  });
  const [only] = pool.scheduler.hosts;
  if (only === undefined) throw new Error('no host');
  await vi.waitFor(() => expect([engine.started.length, only.warm.coming]).toEqual([1, 0]), 5000);
  const { ghost, shape } = engine.started[0]!;
  /** Of a command like the one for which the ghost was started, whose agent is as `known`. */
  const keyFor = (known: AgentConfig) => {
    const { following: _before, ...rest } = shape;
    const following = followingOf(known);
    return shapeKey({ ...rest, ...(following !== undefined && { following }) });
  };
  return { pool, ghost, warm: only.warm, keyFor };
}

const bind = { kind: 'bind', source: '/srv' } as const;

test.each<readonly [string, Partial<AgentConfig>]>([
  ['another relay', { relay: 's' }],
  ['no workspace that is followed', { workspace: bind }],
  ['hosts that see its home', { workspace: { ...bind, sync: { ...sync, seenBy: { a: 'b' } } } }],
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
