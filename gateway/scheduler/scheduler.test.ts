import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import type { Engine, ImageFacts } from '../engine.ts';
import { DockerHost } from './docker-host.ts';
import { type Lease, type LeaseRequest, Scheduler } from './scheduler.ts';

const facts: ImageFacts = { id: 'sha256:1', repoDigests: [], env: [], volumes: [] };

/** An engine that holds one image and starts nothing: placement never asks it for more. */
function engineWith(image: string): Engine {
  const refuse = () => Promise.reject(new Error('placement starts nothing'));
  return {
    startGhost: refuse,
    inspectImage: (reference) => Promise.resolve(reference === image ? facts : undefined),
    ping: () => Promise.resolve(),
    removeStrays: () => Promise.resolve(0),
    watch: refuse,
    close: () => {},
  };
}

function host(
  name: string,
  slots: number,
  labels: Record<string, string> = {},
  image = 'sha256:1',
): DockerHost {
  const config = { name, engine: 'unix:///none', labels, slots, warm: 0, starts: 3 };
  const made = new DockerHost(config, engineWith(image));
  made.state = 'ready';
  return made;
}

const limits = { running: 100, queued: 3, queueTimeoutMs: 60_000 };
const request: LeaseRequest = { labels: {}, imageId: 'sha256:1', avoid: new Map() };
const never = new AbortController().signal;
const ignore = () => {};

test('work goes to the host with the smallest share of its slots in use', async () => {
  const scheduler = new Scheduler([host('a', 2), host('b', 4)], limits);
  const names: string[] = [];
  for (let i = 0; i < 6; i++) names.push((await scheduler.lease(request, never, ignore)).host.name);
  expect(names.filter((name) => name === 'a')).toHaveLength(2);
  expect(names.filter((name) => name === 'b')).toHaveLength(4);
  expect(new Set(names.slice(0, 2)).size).toBe(2);
});

test('labels, images and draining decide where work may go', async () => {
  const draining = host('draining', 1);
  draining.state = 'draining';
  const scheduler = new Scheduler(
    [
      host('plain', 1),
      host('other-image', 9, { zone: 'a' }, 'sha256:2'),
      host('good', 1, { zone: 'a' }),
      draining,
    ],
    limits,
  );
  const lease = await scheduler.lease({ ...request, labels: { zone: 'a' } }, never, ignore);
  expect(lease.host.name).toBe('good');
});

test('where no host can ever take it, the reason is given at once', async () => {
  const scheduler = new Scheduler([host('a', 1)], limits);
  const lease = (change: Partial<LeaseRequest>) => scheduler.lease({ ...request, ...change }, never, ignore);
  await expect(lease({ labels: { zone: 'z' } })).rejects.toMatchObject({ code: 'no-host' });
  await expect(lease({ imageId: 'sha256:9' })).rejects.toMatchObject({ code: 'image-missing' });
  const missing = new ClawrdenError('workspace-missing', 'not there');
  const [only] = scheduler.hosts;
  if (only === undefined) throw new Error('no host');
  await expect(lease({ avoid: new Map([[only, missing]]) })).rejects.toBe(missing);
  only.state = 'down';
  await expect(lease({})).rejects.toMatchObject({ code: 'no-host' });
});

test('a full pool queues first in, first out, tells places, and is bounded', async () => {
  const scheduler = new Scheduler([host('a', 1)], limits);
  const first = await scheduler.lease(request, never, ignore);
  const order: number[] = [];
  const places: string[] = [];
  const waiting = [1, 2, 3].map((number) =>
    scheduler
      .lease(request, never, (place) => places.push(`${number}@${place}`))
      .then((lease) => {
        order.push(number);
        return lease;
      }),
  );
  await expect.poll(() => scheduler.queued).toBe(3);
  await expect(scheduler.lease(request, never, ignore)).rejects.toMatchObject({ code: 'queue-full' });
  let held: Lease = first;
  for (const next of waiting) {
    held.release();
    held.release();
    held = await next;
  }
  expect(order).toEqual([1, 2, 3]);
  expect(places).toContain('3@3');
  expect(places).toContain('3@2');
  expect(places).toContain('3@1');
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
