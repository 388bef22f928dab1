import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HostConfig } from '../../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { GhostShape } from '../../ports/engine.ts';
import { DockerHost } from '../hosts/docker-host.ts';
import { Scheduler } from '../placement/scheduler.ts';
import { shapeKey } from './ghost-shape.ts';
import { type GhostlyEngine, ghostlyEngine } from './waiting-ghost.fixture.ts';
import type { WarmShape } from './warm-pools.ts';
import { createWarmer } from './warmer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function shapeOf(agent: string, change: Partial<GhostShape> = {}): WarmShape {
  const ids = { uid: 1000, gid: 1000, memoryBytes: 1, cpus: 1, pids: 1 };
  const image = { reference: 'node:24', id: 'id:node:24' };
  const shape = { agent, image, mounts: [], network: 'none', ...ids, ...change };
  return { shape, key: shapeKey(shape), labels: {}, timeoutMs: 1000 };
}

const log = pino({ level: 'silent' });
const never = new AbortController().signal;
const one = shapeOf('one');
const two = shapeOf('two');

async function setUp(configs: readonly Partial<HostConfig>[], engines: readonly GhostlyEngine[] = []) {
  const hosts = await Promise.all(
    configs.map(async (change, index) => {
      const name = `h${index}`;
      const config = { name, engine: '', labels: {}, slots: 8, warm: 8, starts: 3, ...change };
      const host = new DockerHost(config, engines[index] ?? ghostlyEngine(name, 100));
      host.answered();
      await host.images.find('node:24');
      return host;
    }),
  );
  const scheduler = new Scheduler(hosts, { running: 100, queued: 10, queueTimeoutMs: 1000 });
  const warmer = createWarmer(scheduler, 5000, log);
  const counts = (key: string) => hosts.map(({ warm }) => warm.waiting(key));
  const lease = async ({ shape, key, labels }: WarmShape) =>
    scheduler.lease({ shape, key, labels, avoid: new Map() }, never, () => {});
  return { hosts, scheduler, warmer, counts, lease };
}

test('what is wished for is kept, spread over the hosts, and replaced when it is claimed', async () => {
  const { hosts, warmer, counts } = await setUp([{}, {}, {}]);
  warmer.wish([{ ...one, size: 5 }]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(counts(one.key).toSorted((a, b) => a - b)).toEqual([1, 2, 2]);
  hosts[0]?.warm.claim(one.key);
  warmer.poke();
  await vi.advanceTimersByTimeAsync(1000);
  expect(counts(one.key).reduce((sum, count) => sum + count)).toBe(5);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(counts(one.key).reduce((sum, count) => sum + count)).toBe(5);
});

test('A-586: what an agent has waiting on other hosts stays if its workspace goes on one, and is kept without that one', async () => {
  const { warmer, counts } = await setUp([{}, {}]);
  warmer.wish([
    { ...one, size: 4 },
    { ...two, size: 2 },
  ]);
  await vi.advanceTimersByTimeAsync(3000);
  expect([counts(one.key), counts(two.key)]).toEqual([
    [2, 2],
    [1, 1],
  ]);
  warmer.leave('one', 'h0');
  expect([counts(one.key), counts(two.key)]).toEqual([
    [0, 2],
    [1, 1],
  ]);
  await vi.advanceTimersByTimeAsync(5000);
  expect([counts(one.key), counts(two.key)]).toEqual([
    [0, 4],
    [1, 1],
  ]);
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  expect(counts(one.key)[0]).toBeGreaterThan(0);
});

test('what is asked for is kept ready as often as it came in its busiest second, and for two minutes', async () => {
  const { warmer, counts } = await setUp([{}]);
  for (let i = 0; i < 3; i++) warmer.asked(one);
  await vi.advanceTimersByTimeAsync(3000);
  expect(counts(one.key)).toEqual([3]);
  await vi.advanceTimersByTimeAsync(110_000);
  expect(counts(one.key)).toEqual([3]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(counts(one.key)).toEqual([0]);
});

test('a host keeps no more than its ceiling, and nothing if that is 0', async () => {
  const { warmer, counts } = await setUp([{ warm: 2 }, { warm: 0 }]);
  warmer.wish([{ ...one, size: 9 }]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(counts(one.key)).toEqual([2, 0]);
});

test('a ceiling that is lowered counts for those that wait already', async () => {
  const { hosts, warmer, counts } = await setUp([{ warm: 4 }]);
  warmer.wish([{ ...one, size: 4 }]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(counts(one.key)).toEqual([4]);
  for (const host of hosts) host.configure({ ...host.config, warm: 1 });
  await vi.advanceTimersByTimeAsync(2000);
  expect(counts(one.key)).toEqual([1]);
});

test('a wish, or a shape that has none, takes the place of what there is most of', async () => {
  const { warmer, counts } = await setUp([{ warm: 4 }]);
  for (let i = 0; i < 20; i++) warmer.asked(one);
  await vi.advanceTimersByTimeAsync(3000);
  expect(counts(one.key)).toEqual([4]);
  warmer.asked(two);
  await vi.advanceTimersByTimeAsync(3000);
  expect([counts(one.key), counts(two.key)]).toEqual([[3], [1]]);
  warmer.wish([{ ...two, size: 2 }]);
  await vi.advanceTimersByTimeAsync(3000);
  expect([counts(one.key), counts(two.key)]).toEqual([[2], [2]]);
});

test('a replacement waits for the command to end, or for its host to be left alone for 200 ms', async () => {
  const { hosts, warmer, counts, lease } = await setUp([{}]);
  warmer.wish([{ ...one, size: 1 }]);
  await vi.advanceTimersByTimeAsync(1000);
  const first = await lease(one);
  hosts[0]?.warm.claim(one.key);
  warmer.poke();
  await vi.advanceTimersByTimeAsync(190);
  expect(hosts[0]?.warm.coming).toBe(0);
  first.release();
  warmer.poke();
  await vi.advanceTimersByTimeAsync(30);
  expect(hosts[0]?.warm.coming).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  const long = await lease(one);
  hosts[0]?.warm.claim(one.key);
  warmer.poke();
  await vi.advanceTimersByTimeAsync(700);
  expect(counts(one.key)).toEqual([1]);
  long.release();
});

test('nothing is started ahead while a command starts or waits', async () => {
  const { hosts, warmer, lease } = await setUp([{ slots: 1 }]);
  await hosts[0]?.gate.enter(never);
  warmer.wish([{ ...one, size: 1 }]);
  await vi.advanceTimersByTimeAsync(3000);
  expect(hosts[0]?.warm.size).toBe(0);
  hosts[0]?.gate.leave();
  const held = await lease(one);
  const waiting = lease(one);
  await vi.advanceTimersByTimeAsync(500);
  expect(hosts[0]?.warm.size).toBe(0);
  held.release();
  (await waiting).release();
  await vi.advanceTimersByTimeAsync(1000);
  expect(hosts[0]?.warm.size).toBe(1);
});

test('one that has waited 8 minutes is ended and replaced', async () => {
  const engine = ghostlyEngine('h', 100);
  const { warmer, counts } = await setUp([{}], [engine]);
  warmer.wish([{ ...one, size: 1 }]);
  await vi.advanceTimersByTimeAsync(478_000);
  expect(engine.started.map(({ ghost }) => ghost.did)).toEqual([[]]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(engine.started.map(({ ghost }) => ghost.did)).toEqual([['release'], []]);
  expect(counts(one.key)).toEqual([1]);
});

test('they go when a host drains, a tag moves, a wish ends, or the gateway ends', async () => {
  const engine = ghostlyEngine('h', 100);
  const { hosts, warmer, counts } = await setUp([{}], [engine]);
  const [host] = hosts;
  if (host === undefined) throw new Error('no host');
  warmer.wish([{ ...one, size: 1 }]);
  await vi.advanceTimersByTimeAsync(1500);
  host.drain();
  await vi.advanceTimersByTimeAsync(1500);
  expect(counts(one.key)).toEqual([0]);
  host.undrain();
  await vi.advanceTimersByTimeAsync(1500);
  expect(counts(one.key)).toEqual([1]);
  const moved = shapeOf('one', { image: { reference: 'node:24', id: 'id:new' } });
  engine.inspectImage = async () => ({ id: 'id:new', env: [], envHash: 'none', volumes: [] });
  await host.images.refresh();
  warmer.wish([{ ...moved, size: 1 }]);
  await vi.advanceTimersByTimeAsync(1500);
  expect([counts(one.key), counts(moved.key)]).toEqual([[0], [1]]);
  warmer.wish([]);
  await vi.advanceTimersByTimeAsync(1500);
  expect(counts(moved.key)).toEqual([0]);
  warmer.wish([{ ...moved, size: 1 }]);
  await vi.advanceTimersByTimeAsync(1500);
  warmer.close();
  expect(host.warm.size).toBe(0);
  await vi.advanceTimersByTimeAsync(5000);
  expect(engine.started.every(({ ghost }) => ghost.did.length === 1)).toBe(true);
});

test('if starts fail, the pool rests, each time longer, and others go on', async () => {
  const engine = ghostlyEngine('h', 10);
  const { warmer, counts } = await setUp([{}], [engine]);
  let tries = 0;
  const start = engine.startGhost;
  engine.startGhost = (shape, purpose, signal) => {
    if (shape.agent !== 'one') return start(shape, purpose, signal);
    tries += 1;
    return Promise.reject(new ClawrdenError('image-missing', 'gone'));
  };
  warmer.wish([
    { ...one, size: 1 },
    { ...two, size: 1 },
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBeGreaterThan(3);
  expect(tries).toBeLessThan(9);
  expect(counts(two.key)).toEqual([1]);
});

test('ghosts started ahead say for how long a command in them may run, and that they were', async () => {
  const engine = ghostlyEngine('h');
  const { warmer } = await setUp([{}], [engine]);
  warmer.wish([{ ...one, size: 1 }]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(engine.started.map(({ purpose }) => purpose)).toEqual([{ pooled: true, timeoutMs: 1000 }]);
});
