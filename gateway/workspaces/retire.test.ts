import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abortable } from '../../src/abort.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { ReplicaHost } from '../ports/replica.ts';
import { evictReplica } from './evict-replica.ts';
import { followWorkspaces } from './follow.ts';
import { homeOf } from './home-of.ts';
import { HomeTurns } from './home-turns.ts';
import type { Homes } from './homes.ts';
import { Replicas } from './replicas.ts';
import { agent, engine, hour, limits, never, of, pass, retirementOf, start } from './retire.fixture.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('12: a carrier that no command and no session uses for half an hour ends, and its replica stays', async () => {
  const { slots, ended, removed, forgotten, retirement } = await start(new Map([['a', agent('a', 100)]]), {
    a: 1,
  });
  slots['a']!.holders.add({ gone: Promise.resolve() });
  await pass(hour);
  expect([ended, forgotten]).toEqual([[], []]);
  slots['a']!.holders.clear();
  slots['a']!.usedAt = performance.now();
  await pass(29 * 60_000);
  expect(ended).toEqual([]);
  await pass(2 * 60_000);
  expect([ended, removed, forgotten]).toEqual([['a'], [], ['a']]);
  await retirement.stop();
});

test('12: the replica of an agent that is gone is removed after a day, never before, and not while it is used', async () => {
  const agents = new Map([['kept', agent('kept', 100)]]);
  const { slots, removed, forgotten, retirement } = await start(agents, { kept: 1, gone: 1 });
  await pass(23 * hour);
  expect(removed).toEqual([]);
  slots['gone']!.commands = 1;
  await pass(3 * hour);
  expect(removed).toEqual([]);
  slots['gone']!.commands = 0;
  await pass(2 * 60_000);
  expect([removed, forgotten]).toEqual([['gone'], ['kept']]);
  await retirement.stop();
});

test('12: a gateway that starts counts the day of what an agent that is gone left from its own start', async () => {
  const { host, removed } = engine({ gone: 1 });
  await host.openReplica({ ...of('gone'), limits, excludes: [] }, never);
  for (let starts = 0; starts < 3; starts++) {
    const replicas = new Replicas();
    replicas.attach('build-1', host);
    const retirement = retirementOf(replicas);
    await pass(23 * hour);
    expect(removed).toEqual([]);
    if (starts === 2) await pass(2 * hour);
    await retirement.stop();
  }
  expect(removed).toEqual(['gone']);
});

test('A-562: so is that of a home that its agent has no more, and what it has comes to no other', async () => {
  const agents = new Map([['a', agent('a', 1000)]]);
  const { replicas, removed, retirement } = await start(agents, { a: 60 });
  const { workspace, ...rest } = agent('a', 1000);
  agents.set('a', { ...rest, workspace: { ...workspace!, source: '/srv/b' } });
  const now = replicas.slot('build-1', { agent: 'a', home: homeOf('r', agents.get('a')!.workspace!) });
  await replicas.open(now, { limits, excludes: [] }, never);
  const parts = { replicas, agents: () => agents, forget: () => {}, onKept: () => {} };
  const [before] = replicas.slots;
  const turns = new HomeTurns({ useHome: () => Promise.reject(new Error('no home here')) });
  const homes = { isOffered: () => true } as unknown as Homes;
  expect(await evictReplica(before!, { ...parts, turns, homes })).toContain('another workspace');
  await pass(23 * hour);
  expect(removed).toEqual([]);
  await pass(2 * hour);
  expect([removed, replicas.slots]).toEqual([['a'], [now]]);
  await retirement.stop();
});

test('12: an agent that comes back in time keeps its replica', async () => {
  const agents = new Map<string, AgentConfig>();
  const { removed, retirement } = await start(agents, { a: 1 });
  await pass(23 * hour);
  agents.set('a', agent('a', 100));
  await pass(2 * hour);
  agents.delete('a');
  await pass(23 * hour);
  expect(removed).toEqual([]);
  await pass(2 * hour);
  expect(removed).toEqual(['a']);
  await retirement.stop();
});

test('12: a host that is too full loses the least recently used first, and none that is used', async () => {
  const agents = new Map(['a', 'b', 'c', 'd'].map((name) => [name, agent(name, 100)]));
  const { slots, removed, retirement } = await start(agents, { a: 40, b: 40, c: 40, d: 40 });
  slots['a']!.commands = 1;
  await pass(3 * 60_000);
  expect(removed).toEqual(['b', 'c']);
  await retirement.stop();
});

test('A-480 P20: a replica that cannot be asked what only it has is not removed to make room, nor another one for it', async () => {
  const agents = new Map(['a', 'b', 'c'].map((name) => [name, agent(name, 100)]));
  const { slots, removed, away, tried, retirement } = await start(agents, { a: 900, b: 40, c: 40 });
  away.add('a');
  await pass(25 * 60_000);
  expect([removed, tried.length]).toEqual([[], 3]);
  slots['c']!.bytes = 70;
  await pass(60_000);
  expect(removed).toEqual(['b']);
  await retirement.stop();
});

test.each(['is removed by a person', 'is what home is again'])(
  'A-480 P20: one that could not go counts like any other once it %s',
  async (how) => {
    const agents = new Map(['a', 'b'].map((name) => [name, agent(name, 100)]));
    const { replicas, slots, removed, away, tried, retirement } = await start(agents, { a: 60, b: 60 });
    const a = slots['a']!;
    away.add('a');
    await pass(2 * 60_000);
    expect([removed, tried]).toEqual([[], ['a']]);
    if (how === 'is removed by a person') await replicas.remove(a);
    replicas.met(a, { version: { epoch: 1n, seq: 1n }, bytes: 60, entries: 1 });
    removed.length = 0;
    away.clear();
    // A command has just used it: another one makes room.
    a.usedAt = performance.now();
    await pass(60_000);
    expect(removed).toEqual(['b']);
    await retirement.stop();
  },
);

test('12: one that could not go is still the least recently used', async () => {
  const agents = new Map(['a', 'b', 'c'].map((name) => [name, agent(name, 130)]));
  const { slots, removed, away, retirement } = await start(agents, { a: 60, b: 60, c: 60 });
  away.add('a');
  await pass(3 * 60_000);
  expect(removed).toEqual([]);
  away.clear();
  await pass(10 * 60_000);
  expect(removed).toEqual(['a']);
  slots['c']!.bytes = 120;
  await pass(60_000);
  expect(removed).toEqual(['a', 'b']);
  await retirement.stop();
});

test('12: one that could not go is tried again ten minutes later', async () => {
  const { away, tried, removed, retirement } = await start(new Map([['a', agent('a', 100)]]), { a: 200 });
  away.add('a');
  await pass(9 * 60_000);
  expect(tried).toEqual(['a']);
  await pass(3 * 60_000);
  expect(tried).toEqual(['a', 'a']);
  away.clear();
  await pass(10 * 60_000);
  expect(removed).toEqual(['a']);
  await retirement.stop();
});

test('12: what a person did with a replica does not make it one that a command used', async () => {
  const agents = new Map(['a', 'b'].map((name) => [name, agent(name, 100)]));
  const { replicas, slots, removed, ended, retirement } = await start(agents, { a: 60, b: 40 });
  await pass(29 * 60_000);
  await replicas.open(slots['a']!, { limits, excludes: [] }, never);
  await pass(5 * 60_000);
  // Its carrier is needed as long as another one's.
  expect(ended).toEqual(['b']);
  slots['b']!.bytes = 50;
  await pass(60_000);
  expect(removed).toEqual(['a']);
  await retirement.stop();
});

test('12: what the last command of an agent that is gone left has a day from its end', async () => {
  const { slots, removed, retirement } = await start(new Map(), { gone: 1 });
  slots['gone']!.commands = 1;
  await pass(23 * hour);
  slots['gone']!.commands = 0;
  slots['gone']!.usedAt = performance.now();
  await pass(23 * hour);
  expect(removed).toEqual([]);
  await pass(2 * hour);
  expect(removed).toEqual(['gone']);
  await retirement.stop();
});

test('12: the replica of a command that waits for its turn is not removed, for its ghost has the folder', async () => {
  const agents = new Map(['a', 'b'].map((name) => [name, agent(name, 100)]));
  const { replicas, slots, removed, ended, retirement } = await start(agents, { a: 60, b: 60 });
  const followed = followWorkspaces({
    ...{ replicas, agents: () => agents, hosts: () => new Map(), onNotApplied: () => {} },
    turns: new HomeTurns({ useHome: () => Promise.reject(new Error('no home here')) }),
  });
  const stop = new AbortController();
  await slots['a']!.turn.enter(stop.signal); // Another exchange with it takes an hour.
  const visit = followed.visit({ name: 'build-1', labels: {} }, 'a', 'id');
  const settling = visit!.settle(stop.signal).catch(() => {});
  slots['b']!.commands = 1;
  await pass(29 * 60_000);
  expect([removed, ended]).toEqual([[], []]);
  stop.abort(new Error('stopped'));
  await settling;
  for (let times = 0; times < 2; times++) visit!.end();
  expect(slots['a']).toMatchObject({ commands: 0, working: 0 });
  await pass(3 * 60_000);
  expect(removed).toEqual(['a']);
  await retirement.stop();
});

test('12: an agent whose limits or excludes are others now gets a carrier anew, in the turn of its home', async () => {
  const { replicas, slots, ended, retirement } = await start(new Map([['a', agent('a', 100)]]), { a: 1 });
  const open = (carried: Parameters<Replicas['open']>[1], how?: 'as asked') =>
    replicas.open(slots['a']!, carried, never, how);
  await open({ limits: { ...limits }, excludes: [] }, 'as asked');
  await open({ limits, excludes: ['x'] });
  expect(ended).toEqual([]);
  await open({ limits, excludes: ['x'] }, 'as asked');
  await open({ limits: { ...limits, file: 11 }, excludes: ['x'] }, 'as asked');
  expect(ended).toEqual(['a', 'a']);
  await retirement.stop();
});

test('12: the carrier of an agent whose workspace is not followed any more ends at the next look', async () => {
  const agents = new Map([['a', agent('a', 100)]]);
  const { ended, retirement } = await start(agents, { a: 1, b: 1 });
  await pass(60_000);
  expect(ended).toEqual(['b']);
  agents.delete('a');
  await pass(60_000);
  expect(ended).toEqual(['b', 'a']);
  await retirement.stop();
});

test('12: replicas that an earlier gateway left count for host-size, and go before those that were used', async () => {
  const bytes = { used: 60, old: 60, older: 60, gone: 60 };
  const agents = new Map(['used', 'old', 'older'].map((name) => [name, agent(name, 130)]));
  const { host, removed, ended } = engine(bytes);
  // An earlier gateway.
  for (const name of Object.keys(bytes)) await host.openReplica({ ...of(name), limits, excludes: [] }, never);
  const replicas = new Replicas();
  replicas.attach('build-1', host);
  await pass(5000);
  const slot = replicas.slot('build-1', of('used'));
  await replicas.open(slot, { limits, excludes: [] }, never);
  slot.usedAt = performance.now();
  const retirement = retirementOf(replicas, agents);
  await pass(61_000);
  expect(ended.toSorted()).toEqual(['old', 'older']);
  expect(removed).toHaveLength(1);
  expect(removed).not.toContain('used');
  await retirement.stop();
});

test('12: a replica that does not tell its size is asked seldom, and holds up no stop', async () => {
  const { host } = engine({ a: 1 });
  await host.openReplica({ ...of('a'), limits, excludes: [] }, never);
  let asked = 0;
  const silent: ReplicaHost = {
    ...host,
    openReplica: (_wish, signal) => {
      asked += 1;
      return abortable(new Promise<never>(() => {}), signal);
    },
  };
  const replicas = new Replicas();
  replicas.attach('build-1', silent);
  const agents = new Map([['a', agent('a', 100)]]);
  const retirement = retirementOf(replicas, agents);
  await pass(20 * 60_000);
  expect(asked).toBe(1);
  await pass(2 * hour);
  expect(asked).toBeLessThan(6);
  await retirement.stop();
});
