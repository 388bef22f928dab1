import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evictReplica } from '../../gateway/workspaces/evict-replica.ts';
import { fileSystems } from '../../shim/native/test/carrier-process.ts';
import { agent, keptOf, Site } from './site.ts';

const never = new AbortController().signal;

/** A command that wrote a file on host one, and never came home. */
async function stranded(site: Site): Promise<string> {
  writeFileSync(join(site.home.root, 'file'), 'before');
  const visit = site.visit('one');
  await visit.settle(never);
  const there = join(site.replicas.one.root, 'file');
  writeFileSync(there, "the tool's");
  visit.end();
  return there;
}

function evict(site: Site) {
  const { homes, turns, agents, slots: replicas } = site;
  const parts = { homes, turns, agents: () => agents, replicas, forget: () => {} };
  const told: unknown[] = [];
  const onKept = (set: unknown) => void told.push(set);
  return evictReplica(replicas.slot('one', site.replica), { ...parts, onKept }).then((why) => ({
    why,
    told,
  }));
}

test('12: a replica that goes to make room leaves what only it has beside home, and says so', async () => {
  await using site = new Site(fileSystems[0]);
  const there = await stranded(site);
  const { why, told } = await evict(site);
  expect(why).toBeUndefined();
  expect(told).toMatchObject([{ agent, host: 'one', why: 'late', count: 1 }]);
  expect(keptOf(site.home)).toContain("the tool's");
  expect(existsSync(there)).toBe(false);
  const next = site.visit('one');
  await next.settle(never);
  expect(site.difference('one')).toBe('');
  next.end();
});

test('12: one whose home cannot keep that stays', async () => {
  await using site = new Site(fileSystems[0]);
  const there = await stranded(site);
  rmSync(site.home.root, { recursive: true });
  const { why, told } = await evict(site);
  expect(why).toMatch(/^workspace-/);
  expect(told).toEqual([]);
  expect(existsSync(there)).toBe(true);
});

test('A-628 P13: one that a starting container mounts stays', async () => {
  await using site = new Site(fileSystems[0]);
  const there = await stranded(site);
  {
    using _ = site.hold('one');
    expect((await evict(site)).why).toContain('a command works in the replica');
  }
  expect(existsSync(there)).toBe(true);
  expect((await evict(site)).why).toBeUndefined();
  expect(existsSync(there)).toBe(false);
});

test('A-628 P13: a container that mounts one that was removed is of no use, nor if its command waited for its turn as that happened', async () => {
  await using site = new Site(fileSystems[0]);
  await stranded(site);
  const slot = site.slots.slot('one', site.replica);
  const mounted = slot.volume;
  const waits = site.visit('one', mounted);
  const settled = await slot.turn.through(never, async () => {
    const settling = waits.settle(never).catch((error: unknown) => error);
    await site.slots.remove(slot);
    return { settling };
  });
  expect(await settled.settling).toMatchObject({ code: 'workspace-missing' });
  expect(() => site.visit('one', mounted)).toThrow('is in another place on one');
  const next = site.visit('one', slot.volume);
  await next.settle(never);
  expect(site.difference('one')).toBe('');
  for (const visit of [waits, next]) visit.end();
});
