import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { ReplicaHost, ReplicaOf } from '../ports/replica.ts';
import { homeOf } from './home-of.ts';
import { Replicas } from './replicas.ts';
import { agent, engine, hour, limits, never, of, pass, retirementOf, start } from './retire.fixture.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('A-338 P20: of the names that a host makes up nothing stays and no carrier starts, however many they are', async () => {
  let looks = 0;
  const opened: string[] = [];
  const lying: ReplicaHost = {
    openReplica: ({ agent: name }) => {
      opened.push(name);
      return Promise.reject(new Error('not here'));
    },
    replicas: async () => {
      looks += 1;
      return Array.from({ length: 50_000 }, (_, number) => of(`a${looks}-${number}`));
    },
    removeReplica: async () => false,
  };
  const replicas = new Replicas();
  replicas.attach('build-1', lying);
  const retirement = retirementOf(replicas, new Map([['a', agent('a', 100)]]));
  await pass(3 * 60_000);
  expect([looks, replicas.slots, opened]).toEqual([3, [], []]);
  await retirement.stop();
});

test('A-338 P20: of a name that a host tells for a day nothing stays when it is removed, nor of an agent that has gone', async () => {
  const agents = new Map([['a', agent('a', 100)]]);
  const { replicas, removed, retirement } = await start(agents, { a: 1 });
  const { host } = engine({});
  const removedThere: string[] = [];
  const still = {
    ...host,
    replicas: async () => [of('made-up')],
    removeReplica: async ({ agent: name }: ReplicaOf) => removedThere.push(name) > 0,
  };
  replicas.attach('build-2', still);
  agents.delete('a');
  await pass(25 * hour);
  expect([removed, removedThere, replicas.slots]).toEqual([['a'], ['made-up'], []]);
  await retirement.stop();
});

test('A-338 P20: a host that does not answer holds up no look at another', async () => {
  const agents = new Map([['a', agent('a', 100)]]);
  const { replicas, removed, retirement } = await start(agents, { a: 1 });
  const silent = { ...engine({}).host, replicas: () => new Promise<never>(() => {}) };
  const second = engine({});
  await second.host.openReplica({ ...of('gone'), limits, excludes: [] }, never);
  replicas.attach('build-0', silent);
  replicas.attach('build-2', second.host);
  agents.clear();
  await pass(25 * hour);
  expect([removed, second.removed]).toEqual([['a'], ['gone']]);
  void retirement.stop();
});

test('A-573 P20: a former home that a host tells and does not let go ends nothing of its agent, and holds up no other', async () => {
  const { replicas, slots, forgotten, retirement } = await start(new Map([['a', agent('a', 100)]]), { a: 1 });
  // A session of the agent, on a host that is in order.
  slots['a']!.holders.add({ gone: Promise.resolve() });
  const former = { agent: 'a', home: homeOf('r', { kind: 'bind', source: '/srv/former' }) };
  const tried: string[] = [];
  const stuck: ReplicaHost = {
    ...engine({}).host,
    replicas: async () => [former, of('gone')],
    removeReplica: async ({ agent: name }) => {
      tried.push(name);
      if (name === 'a') throw new Error('a container mounts it');
      return true;
    },
  };
  replicas.attach('build-2', stuck);
  await pass(24 * hour + 10 * 60_000);
  expect(new Set(tried)).toEqual(new Set(['a', 'gone']));
  expect(tried.filter((name) => name === 'a').length).toBeGreaterThan(2);
  expect(forgotten).toEqual([]);
  await retirement.stop();
});

test('12: a home that is named again while the replica of another one is being removed keeps its own', async () => {
  const agents = new Map<string, AgentConfig>();
  const { replicas, removed, retirement } = await start(agents, {});
  const removal = Promise.withResolvers<boolean>();
  const slow: ReplicaHost = {
    ...engine({}).host,
    replicas: async () => [of('gone'), of('back')],
    removeReplica: ({ agent: name }) => {
      removed.push(name);
      return removal.promise;
    },
  };
  replicas.attach('build-2', slow);
  await pass(24 * hour + 2 * 60_000);
  expect(removed).toEqual(['gone']);
  agents.set('back', agent('back', 100));
  removal.resolve(true);
  await pass(60_000);
  expect(removed).toEqual(['gone']);
  await retirement.stop();
});

test('A-574: the replica of a former home does not count for host-size, and no other goes for it', async () => {
  const agents = new Map(['other', 'moved'].map((name) => [name, agent(name, 100)]));
  const { removed, retirement } = await start(agents, { other: 60, moved: 60 });
  const { workspace, ...rest } = agent('moved', 100);
  agents.set('moved', { ...rest, workspace: { ...workspace!, source: '/srv/next' } });
  await pass(5 * 60_000);
  expect(removed).toEqual([]);
  await retirement.stop();
});

test('a slot in which somebody is, or waits, is not forgotten', async () => {
  const { replicas, slots, retirement } = await start(new Map([['a', agent('a', 100)]]), { a: 1 });
  const slot = slots['a']!;
  replicas.forget(slot);
  await replicas.close(slot);
  await slot.turn.enter(never);
  replicas.forget(slot);
  expect(replicas.known('build-1', of('a'))).toBe(slot);
  slot.turn.leave();
  const session = { gone: Promise.resolve() };
  slot.holders.add(session);
  replicas.forget(slot);
  expect(replicas.known('build-1', of('a'))).toBe(slot);
  slot.holders.delete(session);
  replicas.forget(slot);
  expect(replicas.known('build-1', of('a'))).toBeUndefined();
  await retirement.stop();
});
