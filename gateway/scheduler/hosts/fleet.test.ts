import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { HostConfig } from '../../../src/config/gateway-config.ts';
import type { AuditRecord } from '../../audit/audit-record.ts';
import type { WatchOptions } from '../../ports/engine.ts';
import type { ExecutionRecord } from '../../ports/execution-record.ts';
import { Scheduler } from '../placement/scheduler.ts';
import { shapeKey } from '../warm/ghost-shape.ts';
import { type GhostlyEngine, ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import { createWarmer } from '../warm/warmer.ts';
import { DockerHost } from './docker-host.ts';
import { createFleet } from './fleet.ts';
import { createLateExits } from './late-exits.ts';
import { createSweeps } from './sweeps.ts';

const log = pino({ level: 'silent' });
const host: HostConfig = { name: 'a', engine: 'unix:///none', labels: {}, slots: 8, warm: 0, starts: 3 };

const shape = {
  ...{ agent: 'coder', image: { reference: 'one', id: 'id:one' }, mounts: [], network: 'none' },
  ...{ uid: 1, gid: 1, memoryBytes: 1, cpus: 1, pids: 1 },
};

afterEach(() => vi.useRealTimers());

/** A fleet over an engine that says what the test tells it to. */
function fleetOver(engine: GhostlyEngine) {
  const hosts: DockerHost[] = [];
  const scheduler = new Scheduler(hosts, { running: 100, queued: 10, queueTimeoutMs: 1000 });
  const warmer = createWarmer(scheduler, 5000, log);
  const state = { tags: 0, watches: [] as WatchOptions[], opened: [] as string[] };
  const records: AuditRecord[] = [];
  const lateExits = createLateExits(
    (entry) => void records.push(entry),
    () => true,
  );
  engine.watch = async (options, signal) => {
    state.watches.push(options);
    options.onOpen?.(1);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  const fleet = createFleet({
    ...{ hosts, scheduler, warmer, lateExits, log, drained: new Set<string>() },
    openEngine: ({ name }) => {
      if (name === 'wrong') throw new Error('its key cannot be read');
      state.opened.push(name);
      return engine;
    },
    images: () => ['one', 'two', 'three'],
    onImages: () => (state.tags += 1),
  });
  const close = async () => {
    warmer.close();
    await fleet.close();
  };
  return { fleet, hosts, warmer, lateExits, records, state, [Symbol.asyncDispose]: close };
}

test('A-325 P20: however many images an engine says have changed, each known one is asked for once and once more', async () => {
  const engine = ghostlyEngine('a');
  await using over = fleetOver(engine);
  over.fleet.apply([host]);
  await over.fleet.looked();
  const told = over.state.tags;
  let asked = 0;
  const waiting: (() => void)[] = [];
  engine.inspectImage = async () => {
    asked += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { id: 'another', env: [], envHash: 'none', volumes: [] };
  };
  for (let count = 0; count < 1000; count += 1)
    over.state.watches[0]?.onEvent({ type: 'images-changed', at: 2 });
  await sleep(20);
  expect(asked).toBe(3);
  for (const answer of waiting.splice(0)) answer();
  // after a rest.
  await sleep(100);
  expect(asked).toBe(3);
  await sleep(600);
  for (let round = 0; round < 2; round += 1) {
    for (const answer of waiting.splice(0)) answer();
    await sleep(20);
  }
  expect(asked).toBe(6);
  expect(over.state.tags - told).toBe(2);
  expect(over.hosts[0]?.images.idOf('one')).toBe('another');
});

test('A-450 P24: a change with a host whose engine cannot be opened changes no host, and taking it back removes none', async () => {
  await using over = fleetOver(ghostlyEngine('a'));
  over.fleet.apply([host]);
  const names = () => over.hosts.map(({ name, state }) => `${name} ${state}`);
  const before = names();
  const wrong = [
    { ...host, ssh: { 'known-hosts': '/elsewhere' } },
    { ...host, name: 'b' },
    { ...host, name: 'wrong' },
  ];
  expect(() => over.fleet.prepare(wrong as unknown as HostConfig[])).toThrow('its key cannot be read');
  expect(() => over.fleet.apply(wrong as unknown as HostConfig[])).toThrow('its key cannot be read');
  expect(names()).toEqual(before);
  over.fleet.apply([host]);
  await sleep(1_200);
  expect(over.hosts.map(({ name }) => name)).toEqual(['a']);
});

test('A-452 P24: an engine that is only opened joins nothing and is closed; one change opens each engine once', async () => {
  const engine = ghostlyEngine('a');
  await using over = fleetOver(engine);
  const did: string[] = [];
  engine.joined = () => void did.push('joined');
  engine.close = () => void did.push('closed');
  over.fleet.apply([host]);
  expect([...over.state.opened, ...did.splice(0)]).toEqual(['a', 'joined']);
  const wider = [host, { ...host, name: 'b' }];
  expect(() => over.fleet.prepare([...wider, { ...host, name: 'wrong' }])).toThrow('its key');
  over.fleet.prepare(wider)[Symbol.dispose]();
  expect(did.splice(0)).toEqual(['closed', 'closed']);
  over.state.opened.length = 0;
  {
    using prepared = over.fleet.prepare(wider);
    prepared.apply();
  }
  expect([...over.state.opened, ...did]).toEqual(['b', 'joined']);
});

test('A-328 P20: what runs on a host that leaves is spared by the host that joins in its place', async () => {
  const engine = ghostlyEngine('a');
  const kept: string[][] = [];
  engine.removeStrays = async (keep) => {
    kept.push([...keep]);
    return 0;
  };
  await using over = fleetOver(engine);
  over.fleet.apply([host]);
  await over.fleet.looked();
  const [first] = over.hosts as [DockerHost];
  const never = new AbortController().signal;
  const ghost = await first.start(shape, { pooled: false, timeoutMs: 1000 }, never);
  over.fleet.apply([{ ...host, ssh: { 'known-hosts': '/elsewhere' } } as unknown as HostConfig]);
  await over.fleet.looked();
  expect(over.hosts).toHaveLength(2);
  expect(kept.length).toBeGreaterThan(1);
  expect(kept.at(-1)).toEqual([ghost.containerId]);
  await first.destroy(ghost);
});

/** A ghost is being started ahead for 300 ms, on a host that is then gone from gateway.yaml. */
async function leaveWhileStarting(hold: (host: DockerHost) => void) {
  const engine = ghostlyEngine('a', 300);
  const over = fleetOver(engine);
  over.fleet.apply([{ ...host, warm: 1 }]);
  await over.fleet.looked();
  const [first] = over.hosts as [DockerHost];
  over.warmer.wish([{ shape, key: shapeKey(shape), labels: {}, timeoutMs: 1000, size: 1 }]);
  await vi.waitFor(() => expect(first.warm.coming).toBe(1));
  hold(first);
  over.fleet.apply([]);
  return { over, first, engine };
}

test('A-493 P20: a gateway that stops waits for no ghost that was being started on a host that leaves', async () => {
  const { over, first } = await leaveWhileStarting((one) => void one.reserve(shape, 1));
  over.warmer.close();
  await vi.waitFor(() => expect(first.warm.coming).toBe(0));
  const began = performance.now();
  await over.fleet.close();
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(over.hosts).toEqual([]);
});

test('A-493: a host leaves once a ghost that was being started there is gone', async () => {
  const { over, engine } = await leaveWhileStarting(() => {});
  expect(over.hosts).toHaveLength(1);
  await vi.waitFor(() => expect(over.hosts).toEqual([]), 5_000);
  expect(engine.started.map(({ ghost }) => ghost.did)).toEqual([['release']]);
  await over.fleet.close();
});

test('A-372 P20: a host whose sweep never ends holds up neither start nor stop, and gets no second one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  const engine = ghostlyEngine('a');
  let sweeps = 0;
  const signals: AbortSignal[] = [];
  await using over = fleetOver(engine);
  over.fleet.apply([host]);
  await over.fleet.looked();
  expect(over.hosts[0]?.up).toBe(true);
  engine.removeStrays = (_keep, signal) => {
    sweeps += 1;
    signals.push(signal);
    return new Promise(() => {});
  };
  await vi.advanceTimersByTimeAsync(5 * 30_000);
  expect(sweeps).toBe(1);
  over.fleet.apply([host, { ...host, name: 'b' }]);
  const looked = over.fleet.looked();
  await vi.advanceTimersByTimeAsync(15_000);
  await looked;
  expect([sweeps, over.hosts[1]?.up]).toEqual([2, false]);
  await over.fleet.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('A-492 P24: what was lost with a host is given up by the first sweep that removes all, also if an earlier one did not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  const engine = ghostlyEngine('a');
  let isLeft = true;
  engine.removeStrays = async () => {
    if (isLeft) throw new Error('containers are left after 20 s');
    return 1;
  };
  await using over = fleetOver(engine);
  const plan = JSON.stringify({ timeoutMs: 0 });
  over.lateExits.expectThere({ id: 'x', host: 'a', container: 'c1', plan } as ExecutionRecord);
  over.fleet.apply([host]);
  await over.fleet.looked();
  await vi.advanceTimersByTimeAsync(30_000);
  expect([over.hosts[0]?.up, over.records]).toEqual([true, []]);
  isLeft = false;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(over.records).toMatchObject([{ type: 'late-exit', container: 'c1' }]);
  expect(over.lateExits.running()).toEqual([]);
});

test('P19: a host that is back is swept anew, after the sweep that began before it was lost', async () => {
  const engine = ghostlyEngine('a');
  const ends: (() => void)[] = [];
  engine.removeStrays = async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return 0;
  };
  const one = new DockerHost(host, engine);
  const { sweep, isRunning } = createSweeps({ hosts: [one], log });
  const never = new AbortController().signal;
  const both = [sweep(one, never), sweep(one, never)];
  await sleep(10);
  expect([ends.length, isRunning(one)]).toEqual([1, true]);
  ends[0]?.();
  await sleep(10);
  expect([ends.length, isRunning(one)]).toEqual([2, true]);
  ends[1]?.();
  expect(await Promise.all(both)).toEqual([true, true]);
  await sleep(0);
  expect(isRunning(one)).toBe(false);
});

test('A-395 P20: an engine whose events break each time at once is looked at twice a second', async () => {
  const engine = ghostlyEngine('a');
  await using over = fleetOver(engine);
  let pings = 0;
  engine.ping = async () => void (pings += 1);
  engine.watch = async ({ onOpen }) => {
    onOpen?.(1);
    await sleep(1);
    throw new Error('broken');
  };
  over.fleet.apply([host]);
  await over.fleet.looked();
  await sleep(1200);
  expect(pings).toBeGreaterThan(1);
  expect(pings).toBeLessThan(5);
});
