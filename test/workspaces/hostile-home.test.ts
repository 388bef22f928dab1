import { expect, test } from 'vitest';
import { ReplicaUnreachable } from '../../gateway/workspaces/faults.ts';
import type { HostileHow } from './hostile-replica.ts';
import { agent, followedWorkspace, Site } from './site.ts';

/** A workspace that may have little, so that its bounds are soon reached. */
const { sync } = followedWorkspace;
const limits = { ...sync.carried.limits, entries: 500, bytes: 2 ** 20 };
const small = { ...followedWorkspace, sync: { ...sync, carried: { ...sync.carried, limits } } };

async function settled(site: Site): Promise<unknown> {
  site.workspace = small;
  const visit = site.visit('one');
  const error: unknown = await visit.settle(AbortSignal.timeout(60_000)).catch((failed: unknown) => failed);
  visit.end();
  return error;
}

test.each<HostileHow>(['empty entries', 'empty chunks'])(
  'A-340 P20: a home that sends %s without an end is heard so far as a workspace may be, and no host is at fault',
  async (how) => {
    await using site = new Site('/dev/shm', '/dev/shm', how);
    expect(await settled(site)).toMatchObject({
      code: 'workspace-limit',
      message: expect.stringContaining('larger than a workspace may be (workspace at home)'),
    });
    // It does not end its answer: another lane is begun.
    await expect.poll(() => site.homesBegun).toBe(2);
    expect(site.turns.leftOut.why({ agent, host: 'one' })).toBeUndefined();
    const replica = await site.slots.known('one', site.replica)?.opening;
    expect(await replica?.session.settle()).toMatchObject({ entries: 1 });
  },
);

test('A-340 P20: a replica that sends empty chunks without an end broke the rules, and home goes on', async () => {
  await using site = new Site('/dev/shm');
  site.hostile.set('one', 'empty chunks');
  expect(await settled(site)).toBeInstanceOf(ReplicaUnreachable);
  expect(site.leftOut).toMatchObject([
    { what: 'broke-rules', text: expect.stringContaining('larger than a workspace may be') },
  ]);
  expect(site.homesBegun).toBe(1);
});
