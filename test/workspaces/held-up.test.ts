import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ReplicaUnreachable } from '../../gateway/workspaces/faults.ts';
import { viewWorkspace } from '../../gateway/workspaces/view-workspace.ts';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { HostileHow } from './hostile-replica.ts';
import { agent, followedWorkspace, Site } from './site.ts';

const isLong = Boolean(process.env['CLAWRDEN_LONG']);
const inFull = <T>(...more: T[]): T[] => (isLong ? more : []);

const patience = () => AbortSignal.timeout(60_000);

/** A command on host one, which somebody took over; its workspace does not come there, or later. */
function onHostile(site: Site, how: HostileHow) {
  site.hostile.set('one', how);
  const stop = new AbortController();
  const visit = site.visit('one');
  let slow = 0;
  const settling = visit
    .settle(stop.signal, () => {
      slow += 1;
    })
    .catch((error: unknown) => error);
  return {
    settling,
    slow: () => slow,
    end: async () => {
      stop.abort(new Error('the test ends'));
      await settling;
      visit.end();
    },
  };
}

/** One command on host two, and how long it took to come and go. */
async function onHonest(site: Site): Promise<number> {
  const began = performance.now();
  const visit = site.visit('two');
  await visit.settle(patience());
  expect(site.difference('two')).toBe('');
  writeFileSync(join(site.replicas.two.root, 'made'), randomBytes(20));
  expect(await visit.bringHome(patience())).toBeUndefined();
  visit.end();
  expect(readFileSync(join(site.home.root, 'made'))).toEqual(
    readFileSync(join(site.replicas.two.root, 'made')),
  );
  return performance.now() - began;
}

async function begunOn(site: Site): Promise<void> {
  await expect.poll(() => site.asked.one.length, { timeout: 20_000, interval: 20 }).toBeGreaterThan(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
}

function homeWith(bytes: number): Site {
  const site = new Site('/dev/shm');
  writeFileSync(join(site.home.root, 'file'), randomBytes(bytes));
  return site;
}

test.each<HostileHow>(['works', 'trickles', 'verifies', ...inFull<HostileHow>('never settles')])(
  'A-102: a host whose replica %s without an end takes no turn of home: other hosts go on at once',
  async (how) => {
    await using site = homeWith(100);
    expect(await onHonest(site)).toBeLessThan(5_000);
    const hostile = onHostile(site, how);
    await begunOn(site);
    for (let times = 0; times < 3; times++) expect(await onHonest(site)).toBeLessThan(3_000);
    expect([site.leftOut, site.homesBegun]).toEqual([[], 1]);
    await hostile.end();
  },
);

test.each<HostileHow>(['works late', ...inFull<HostileHow>('trickles late', 'takes nothing')])(
  'A-102, A-339: a host whose replica %s is in home’s turn then: it is cut for others, home stays, and its agent leaves the host out',
  async (how) => {
    await using site = homeWith(100);
    for (let name = 0; name < 60; name++)
      writeFileSync(join(site.home.root, `${name}`), randomBytes(how === 'takes nothing' ? 1_000_000 : 1));
    await onHonest(site);
    site.asked.home.length = 0;
    const hostile = onHostile(site, how);
    const inTurn = how === 'takes nothing' ? CarrierFrame.changes : CarrierFrame.begin;
    await expect.poll(() => site.asked.home, { timeout: 20_000, interval: 20 }).toContain(inTurn);
    expect(await onHonest(site)).toBeLessThan(20_000);
    expect(await hostile.settling).toBeInstanceOf(ReplicaUnreachable);
    expect(site.leftOut).toMatchObject([{ agent, host: 'one', what: 'held-up' }]);
    // What its agent has in its tree may be what took so long: others go on using the host.
    expect(site.turns.leftOut.why({ agent: 'other', host: 'one' })).toBeUndefined();
    // No command begins there now, and what works there already gets little of home's time.
    const again = site.visit('one');
    await expect(again.settle(patience())).rejects.toThrow('held up');
    again.end();
    expect(await onHonest(site)).toBeLessThan(3_000);
    await hostile.end();
  },
);

test.runIf(isLong)(
  'A-102: a replica that sends more than a workspace may have is not listened to',
  async () => {
    await using site = homeWith(100);
    const { carried } = followedWorkspace.sync;
    const limits = { ...carried.limits, entries: 12_000 };
    site.workspace = {
      ...followedWorkspace,
      sync: { ...followedWorkspace.sync, carried: { ...carried, limits } },
    };
    const hostile = onHostile(site, 'does not end');
    expect(await hostile.settling).toMatchObject({
      message: expect.stringContaining('larger than a workspace'),
    });
    await hostile.end();
    expect(await onHonest(site)).toBeLessThan(5_000);
  },
);

test('A-102: a replica that is cut lets go of everything at once', async () => {
  await using site = homeWith(100);
  const hostile = onHostile(site, 'works');
  await begunOn(site);
  const slot = site.slots.slot('one', site.replica);
  site.slots.cut(slot, new ClawrdenError('canceled', 'the workspace is reset'));
  expect(await hostile.settling).toMatchObject({ message: 'the workspace is reset' });
  expect([slot.turn.load, site.homesBegun]).toEqual([0, 1]);
});

test('A-103: a replica whose numbers cannot be is at fault by itself: status and the other host are as before', async () => {
  await using site = homeWith(100);
  await onHonest(site);
  const hostile = onHostile(site, 'counts wrong');
  expect(await hostile.settling).toMatchObject({ message: expect.stringContaining('cannot be') });
  const seen = await viewWorkspace(site.replica, { homes: site.homes, replicas: site.slots });
  expect(seen.home).toMatchObject({ entries: 3, full: false });
  expect(await onHonest(site)).toBeLessThan(3_000);
});

test('A-102: somebody who looks does not wait for a host that holds on', async () => {
  await using site = homeWith(100);
  const hostile = onHostile(site, 'works');
  await begunOn(site);
  const began = performance.now();
  const seen = await viewWorkspace(site.replica, { homes: site.homes, replicas: site.slots });
  expect(performance.now() - began).toBeLessThan(6_000);
  expect(seen.home).toMatchObject({ entries: 2 });
  await hostile.end();
});
