import { expect, test, vi } from 'vitest';
import type { HostConfig } from '../../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { Engine, GhostShape, ImageFacts } from '../../ports/engine.ts';
import { DockerHost } from '../hosts/docker-host.ts';
import { shapeKey } from '../warm/ghost-shape.ts';
import type { LeaseRequest } from './candidates.ts';
import { type Lease, Scheduler } from './scheduler.ts';

const facts: ImageFacts = { id: 'sha256:1', env: [], envHash: 'none', volumes: [] };

/** An engine that has one image, also as node:24, and starts nothing: placement asks it for no more. */
function engineWith(image: string): Engine {
  const refuse = () => Promise.reject(new Error('placement starts nothing'));
  return {
    startGhost: refuse,
    inspectImage: (reference) =>
      Promise.resolve(reference === image || reference === 'node:24' ? { ...facts, id: image } : undefined),
    pullImage: refuse,
    ping: () => Promise.resolve(),
    removeStrays: () => Promise.resolve(0),
    watch: refuse,
    close: () => {},
  };
}

function host(name: string, slots: number, change: Partial<HostConfig> = {}, image = 'sha256:1'): DockerHost {
  const config = { name, engine: 'unix:///none', labels: {}, slots, warm: 0, starts: 3, ...change };
  const made = new DockerHost(config, engineWith(image));
  made.answered();
  return made;
}

const limits = { running: 100, queued: 3, queueTimeoutMs: 60_000 };
const shape: GhostShape = {
  agent: 'coder',
  image: { reference: 'node:24', id: 'sha256:1' },
  uid: 1000,
  gid: 1000,
  mounts: [],
  network: 'none',
  memoryBytes: 1024,
  cpus: 1,
  pids: 64,
};
const request: LeaseRequest = { shape, key: shapeKey(shape), labels: {}, avoid: new Map() };
const never = new AbortController().signal;
const ignore = () => {};
const of = (agent: string, change: Partial<GhostShape> = {}): LeaseRequest => ({
  ...request,
  shape: { ...shape, agent, ...change },
});

test('work goes to the host with the smallest share of its slots in use', async () => {
  const scheduler = new Scheduler([host('a', 2), host('b', 4)], limits);
  const names: string[] = [];
  for (let i = 0; i < 6; i++) names.push((await scheduler.lease(request, never, ignore)).host.name);
  expect(names.filter((name) => name === 'a')).toHaveLength(2);
  expect(names.filter((name) => name === 'b')).toHaveLength(4);
  expect(new Set(names.slice(0, 2)).size).toBe(2);
});

test('one command after the other goes round, also to a host that has come later, which gets no herd', async () => {
  const hosts = [host('a', 8), host('b', 8)];
  const scheduler = new Scheduler(hosts, limits);
  const names: string[] = [];
  const next = async () => {
    const lease = await scheduler.lease(request, never, ignore);
    names.push(lease.host.name);
    lease.release();
  };
  for (let i = 0; i < 10; i++) await next();
  expect(names.join('')).toBe('ababababab');
  hosts.push(host('c', 8));
  await hosts[2]?.images.learn(shape.image);
  for (let i = 0; i < 6; i++) await next();
  expect(names.slice(10).sort().join('')).toBe('aabbcc');
});

test('12: a host that has the workspace comes first, until the work there weighs more than the copy', async () => {
  const scheduler = new Scheduler([host('a', 4), host('b', 4)], limits);
  const behindMs = ({ name }: DockerHost) => (name === 'a' ? 170 : 0);
  const names: string[] = [];
  for (let i = 0; i < 6; i++) {
    names.push((await scheduler.lease({ ...request, behindMs }, never, ignore)).host.name);
  }
  expect(names.slice(0, 4)).toEqual(['b', 'b', 'b', 'b']);
  expect(names.slice(4)).toEqual(['a', 'a']);
});

test('a host that starts slowly gets less, a little difference moves nothing', async () => {
  const [slow, fast] = [host('slow', 8), host('fast', 8)];
  const scheduler = new Scheduler([slow, fast], limits);
  const names = async (count: number) => {
    const leases: Lease[] = [];
    for (let i = 0; i < count; i++) leases.push(await scheduler.lease(request, never, ignore));
    for (const lease of leases) lease.release();
    return leases.map((lease) => lease.host.name);
  };
  for (let i = 0; i < 20; i++) slow.starts.succeeded(280);
  for (let i = 0; i < 20; i++) fast.starts.succeeded(180);
  expect((await names(4)).filter((name) => name === 'slow')).toHaveLength(2);
  for (let i = 0; i < 20; i++) slow.starts.succeeded(3000);
  expect(await names(4)).toEqual(['fast', 'fast', 'fast', 'fast']);
});

test('a host where starts fail is the last resort, until it has rested', async () => {
  const [failing, good] = [host('failing', 8), host('good', 1)];
  const scheduler = new Scheduler([failing, good], limits);
  failing.starts.failed('it did not start');
  const names = [];
  for (let i = 0; i < 2; i++) names.push((await scheduler.lease(request, never, ignore)).host.name);
  expect(names).toEqual(['good', 'failing']);
});

test('labels, images and draining decide where work may go', async () => {
  const draining = host('draining', 1, { labels: { zone: 'a' } });
  draining.drain();
  const scheduler = new Scheduler(
    [
      host('plain', 1),
      host('other-image', 9, { labels: { zone: 'a' } }, 'sha256:2'),
      host('good', 1, { labels: { zone: 'a' } }),
      draining,
    ],
    limits,
  );
  const lease = await scheduler.lease({ ...request, labels: { zone: 'a' } }, never, ignore);
  expect(lease.host.name).toBe('good');
});

test('memory and cpu budgets are given out and given back', async () => {
  const scheduler = new Scheduler([host('a', 8, { memoryBytes: 2048, cpus: 1.5 })], limits);
  const first = await scheduler.lease(request, never, ignore);
  const more = Promise.resolve(scheduler.lease(of('coder', { memoryBytes: 1536, cpus: 0.5 }), never, ignore));
  const small = await Promise.resolve(
    scheduler.lease(of('other', { memoryBytes: 1024, cpus: 0.5 }), never, ignore),
  );
  expect(scheduler.queued).toBe(1);
  first.release();
  expect(scheduler.queued).toBe(1);
  small.release();
  expect((await more).host.name).toBe('a');
  await expect(async () => scheduler.lease(of('coder', { cpus: 2 }), never, ignore)).rejects.toMatchObject({
    code: 'no-host',
  });
});

test('if no host can ever take it, the reason is given at once', async () => {
  const scheduler = new Scheduler([host('a', 1)], limits);
  const lease = async (change: Partial<LeaseRequest>) =>
    scheduler.lease({ ...request, ...change }, never, ignore);
  const image = { ...shape, image: { reference: 'x', id: 'sha256:9' } };
  await expect(lease({ labels: { zone: 'z' } })).rejects.toMatchObject({ code: 'no-host' });
  await expect(lease({ shape: image })).rejects.toMatchObject({ code: 'image-missing' });
  const missing = new ClawrdenError('workspace-missing', 'not there');
  const [only] = scheduler.hosts;
  if (only === undefined) throw new Error('no host');
  await expect(lease({ avoid: new Map([[only, missing]]) })).rejects.toBe(missing);
  only.workspaces.note(shape.mounts, missing);
  await expect(lease({})).rejects.toBe(missing);
  only.missed('no answer', true);
  await expect(lease({})).rejects.toMatchObject({ code: 'no-host' });
});

test('a full pool queues first in, first out, tells places, and is bounded', async () => {
  const scheduler = new Scheduler([host('a', 1)], limits);
  const first = await scheduler.lease(request, never, ignore);
  const order: number[] = [];
  const places: string[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const lease = await scheduler.lease(request, never, (place) => places.push(`${number}@${place}`));
    order.push(number);
    return lease;
  });
  expect(scheduler.queued).toBe(3);
  await expect(async () => scheduler.lease(request, never, ignore)).rejects.toMatchObject({
    code: 'queue-full',
  });
  expect(places).toEqual(['1@1', '2@2', '3@3']);
  let held: Lease = first;
  for (const next of waiting) {
    held.release();
    held.release();
    held = await next;
    if (order.length === 1) await expect.poll(() => places.slice(3)).toEqual(['2@1', '3@2']);
  }
  expect(order).toEqual([1, 2, 3]);
});

test('agents take turns: one that floods waits behind itself', async () => {
  const scheduler = new Scheduler([host('a', 1)], { ...limits, queued: 100 });
  const first = await scheduler.lease(request, never, ignore);
  const served: string[] = [];
  const wait = async (agent: string) => {
    const lease = await scheduler.lease(of(agent), never, ignore);
    served.push(agent);
    setTimeout(lease.release, 1);
  };
  const flood = Array.from({ length: 20 }, () => wait('flooder'));
  const modest = Array.from({ length: 3 }, () => wait('modest'));
  first.release();
  await Promise.all([...flood, ...modest]);
  expect(served.slice(0, 7).join(' ')).toBe('flooder modest flooder modest flooder modest flooder');
});

test('a command that waits does not see a later one go first, unless the later one fits on a host and it does not', async () => {
  const scheduler = new Scheduler([host('a', 1, { labels: { zone: 'a' } }), host('b', 2)], limits);
  const zoned = { ...request, labels: { zone: 'a' } };
  const held = await scheduler.lease(zoned, never, ignore);
  const waits = Promise.resolve(scheduler.lease(zoned, never, ignore));
  const other = await scheduler.lease(request, never, ignore);
  expect(other.host.name).toBe('b');
  held.release();
  expect((await waits).host.name).toBe('a');
});

test('a queue is served by a host that comes up later', async () => {
  const late = host('late', 1);
  late.lose(new ClawrdenError('host-lost', 'no answer'));
  const scheduler = new Scheduler([host('a', 1), late], limits);
  await scheduler.lease(request, never, ignore);
  const waits = Promise.resolve(scheduler.lease(request, never, ignore));
  await late.images.learn(shape.image);
  late.answered();
  scheduler.serveQueue();
  expect((await waits).host.name).toBe('late');
});

test('waiting ends by deadline and by abort, and gives the place away', async () => {
  const scheduler = new Scheduler([host('a', 1)], { ...limits, queueTimeoutMs: 30 });
  await scheduler.lease(request, never, ignore);
  const abort = new AbortController();
  const reason = new ClawrdenError('canceled', 'gone');
  const waiting = Promise.allSettled([
    scheduler.lease(request, abort.signal, ignore),
    scheduler.lease(request, never, ignore),
  ]);
  abort.abort(reason);
  expect(await waiting).toMatchObject([{ reason }, { reason: { code: 'queue-timeout' } }]);
  expect(scheduler.queued).toBe(0);
});

test('A-287 P20: the last slot of a host is for an agent that has none there, however long the others wait', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const shared = { ...limits, isShared: () => true };
    const scheduler = new Scheduler([host('a', 4)], shared);
    const first = await scheduler.lease(request, never, ignore);
    for (let i = 0; i < 2; i++) await scheduler.lease(request, never, ignore);
    const waits = scheduler.lease(request, never, ignore);
    expect(waits).toBeInstanceOf(Promise);
    vi.advanceTimersByTime(30_000);
    const other = await scheduler.lease(of('other'), never, ignore);
    expect(scheduler.queued).toBe(1);
    other.release();
    expect(scheduler.queued).toBe(1);
    first.release();
    expect((await waits).host.name).toBe('a');
  } finally {
    vi.useRealTimers();
  }
});

test('an agent that is alone gets every slot, and of a host with few slots each gets the last one', async () => {
  const alone = new Scheduler([host('a', 4)], limits);
  for (let i = 0; i < 4; i++) await alone.lease(request, never, ignore);
  expect(alone.queued).toBe(0);
  const small = new Scheduler([host('a', 3)], { ...limits, isShared: () => true });
  for (let i = 0; i < 3; i++) await small.lease(request, never, ignore);
  expect(small.queued).toBe(0);
});
