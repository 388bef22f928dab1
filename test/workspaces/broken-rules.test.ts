import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ReplicaUnreachable } from '../../gateway/workspaces/faults.ts';
import type { Damage } from '../../shim/native/test/frame-damage.ts';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { agent, type HostName, Site } from './site.ts';

const patience = () => AbortSignal.timeout(60_000);

/** A whole command, which writes a file on its host. */
async function command(site: Site, host: HostName, name: string): Promise<unknown> {
  const visit = site.visit(host);
  try {
    await visit.settle(patience());
    writeFileSync(join(site.replicas[host].root, name), randomBytes(2 ** 20 + 5));
    writeFileSync(join(site.replicas[host].root, `${name} small`), randomBytes(5));
    return await visit.bringHome(patience());
  } catch (error) {
    return error;
  } finally {
    visit.end();
  }
}

test.each<[string, number, Damage]>([
  ['each entry twice', CarrierFrame.entry, 'double'],
  ['entries that are cut short', CarrierFrame.entry, 'cut'],
  ['no entries, and their bytes', CarrierFrame.entry, 'drop'],
  ['each chunk twice', CarrierFrame.chunk, 'double'],
  ['states that are cut short', CarrierFrame.state, 'cut'],
])(
  'A-105: a host whose replica sends %s is left out and named; home goes on, and so does another host',
  async (_what, type, how) => {
    await using site = new Site('/dev/shm');
    expect(await command(site, 'one', 'good')).toBeUndefined();
    site.damaging.set('one', { type, how });
    expect(await command(site, 'one', 'bad')).toBeInstanceOf(ReplicaUnreachable);
    expect(site.leftOut).toMatchObject([
      {
        agent,
        host: 'one',
        what: 'broke-rules',
        text: expect.stringMatching(
          /^the replica of agent coder on one broke the rules \(.+\): the agent uses others for 30 s$/,
        ),
      },
    ]);
    expect(await command(site, 'two', 'other')).toBeUndefined();
    expect(site.homesBegun).toBe(1);
    // Before its tool starts a command hears it at once, and another host is tried; other agents may use this one.
    const began = performance.now();
    expect(await command(site, 'one', 'again')).toBeInstanceOf(ReplicaUnreachable);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(site.turns.leftOut.why({ agent: 'other', host: 'one' })).toBeUndefined();
    expect(site.turns.leftOut.problem('one')).toContain('broke the rules');
    site.damaging.clear();
    site.turns.leftOut.forget('one');
    expect(await command(site, 'one', 'mended')).toBeUndefined();
    expect(site.homesBegun).toBe(1);
  },
);

test('A-105: a replica that asks for blocks in a way that no carrier does is left out before the tool starts', async () => {
  await using site = new Site('/dev/shm');
  writeFileSync(join(site.home.root, 'large'), randomBytes(3 * 2 ** 20));
  site.damaging.set('one', { type: CarrierFrame.want, how: 'cut' });
  expect(await command(site, 'one', 'bad')).toBeInstanceOf(ReplicaUnreachable);
  expect(site.leftOut).toMatchObject([
    { host: 'one', what: 'broke-rules', text: expect.stringContaining('bad-want') },
  ]);
  expect(await command(site, 'two', 'other')).toBeUndefined();
  expect([site.difference('two'), site.homesBegun]).toEqual(['', 1]);
});

test('A-105: a host that is lost while home sends costs no home', async () => {
  await using site = new Site('/dev/shm');
  for (let name = 0; name < 60; name++)
    writeFileSync(join(site.home.root, `${name}`), randomBytes(1_000_000));
  site.hostile.set('one', 'takes nothing');
  const bad = command(site, 'one', 'bad');
  await expect.poll(() => site.asked.home, { timeout: 20_000, interval: 20 }).toContain(CarrierFrame.changes);
  site.lose('one');
  expect(await bad).toMatchObject({ code: 'host-lost' });
  expect(await command(site, 'two', 'other')).toBeUndefined();
  expect([site.difference('two'), site.homesBegun]).toEqual(['', 1]);
});
