import { expect, test } from 'vitest';
import { CarrierError } from '../../src/carrier-client/carrier-error.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import type { DockerHost } from '../scheduler/hosts/docker-host.ts';
import type { LeaseRequest } from '../scheduler/placement/candidates.ts';
import type { Lease, Scheduler } from '../scheduler/placement/scheduler.ts';
import type { Warmer } from '../scheduler/warm/warmer.ts';
import { ReplicaUnreachable, toWorkspaceError } from '../workspaces/faults.ts';
import { createGhostPlacer, type PlacerParts } from './place-ghost.ts';
import { execution, plan } from './placed-command.fixture.ts';

/** A pool without end of hosts a, b and c: it counts the places that are held. */
function start(settle: (host: string) => Promise<void>, visited = () => {}) {
  const held = { places: 0, destroyed: 0, by: [] as string[] };
  const ghost = { session: { alive: true } };
  const warm = { claim: () => ghost };
  const destroy = async () => (held.destroyed += 1) > 0;
  const hosts = ['a', 'b', 'c'].map((name) => ({ name, config: { name, labels: {} }, warm, destroy }));
  const lease = ({ avoid }: LeaseRequest): Lease => {
    const host = hosts.find((each) => !avoid.has(each as unknown as DockerHost));
    if (host === undefined) throw [...avoid.values()].at(-1)!;
    held.places += 1;
    return { host, release: () => (held.places -= 1) } as unknown as Lease;
  };
  const gate = new Gate(() => 2);
  const visit = ({ name }: { name: string }) => {
    visited();
    return {
      ...{ settle: () => settle(name), exchange: () => settle(name) },
      ...{ bringHome: () => Promise.resolve(undefined), leaveIn: () => {}, end: () => {} },
    };
  };
  const parts: PlacerParts = {
    scheduler: { lease } as unknown as Scheduler,
    warmer: { asked: () => {}, poke: () => {} } as unknown as Warmer,
    workspaces: {
      ...{ visit, behindMs: () => 0, isLeftOut: () => false, gate: () => gate },
      following: () => 'its home',
      hold: ({ name }) => {
        held.by.push(name);
        return { [Symbol.dispose]: () => void held.by.pop() };
      },
    },
    startTimeoutMs: 1000,
    labelsOf: () => ({}),
    onHostLost: () => {},
  };
  return { place: createGhostPlacer(parts), held };
}

const unread = new CarrierError('workspace-unread', 'f cannot be read', { role: 'home' });

test.each([
  ['the carrier of its replica is gone', new ReplicaUnreachable('ended'), ['a', 'b', 'c']],
  ['its disk is full', new ClawrdenError('workspace-full', 'full'), ['a', 'b', 'c']],
  ['home is gone', new ClawrdenError('workspace-unreachable', 'no relay'), ['a']],
  ['A-478: home cannot read a file of its own', toWorkspaceError(unread, 'a') as Error, ['a']],
  ['most of home is gone', new ClawrdenError('workspace-suspect', 'no file'), ['a']],
])('12: a command tries each host once, or one if none can help: %s', async (_what, error, tried) => {
  const asked: string[] = [];
  const { place, held } = start((host) => {
    asked.push(host);
    return Promise.reject(error);
  });
  await expect((async () => place(plan, execution()))()).rejects.toBe(error);
  expect([asked, held.places]).toEqual([tried, 0]);
});

test('A-572 P13: the ghost of a command whose workspace is another one by then goes, and its place with it', async () => {
  const other = new ClawrdenError('workspace-unreachable', 'it has another workspace');
  const { place, held } = start(
    () => Promise.resolve(),
    () => {
      throw other;
    },
  );
  await expect((async () => place(plan, execution()))()).rejects.toBe(other);
  expect(held).toEqual({ places: 0, destroyed: 1, by: [] });
});

test('12: a command whose replica on one host cannot be reached starts on another', async () => {
  const { place } = start((host) =>
    host === 'a' ? Promise.reject(new ReplicaUnreachable('ended')) : Promise.resolve(),
  );
  expect((await place(plan, execution())).lease.host.name).toBe('b');
});

test('A-628 P13: a command holds its workspace on the host until its visit does', async () => {
  const during: string[][] = [];
  const { place, held } = start(async (host) => {
    during.push([...held.by]);
    if (host === 'a') throw new ReplicaUnreachable('ended');
  });
  await place(plan, execution());
  expect([during, held.by]).toEqual([[['a'], ['b']], []]);
});

test('A-97 P20: an agent whose home never answers holds two places on hosts', async () => {
  const { place, held } = start(() => new Promise(() => {}));
  const all = Array.from({ length: 45 }, execution);
  const placing = all.map((each) => Promise.resolve(place(plan, each)).catch((error: unknown) => error));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(held.places).toBe(2);
  void placing;
});

test('commands whose home answers all get their place, also after one that failed', async () => {
  let count = 0;
  const { place, held } = start(() => {
    count += 1;
    return count === 1 ? Promise.reject(new Error('a conflict with nothing')) : Promise.resolve();
  });
  const ends = await Promise.allSettled(Array.from({ length: 10 }, async () => place(plan, execution())));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  expect(held.places).toBe(9);
});
