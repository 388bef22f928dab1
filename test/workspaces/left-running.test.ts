import { closeSync, existsSync, openSync, readFileSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { resetReplica } from '../../gateway/workspaces/reset-replica.ts';
import { fileSystems } from '../../shim/native/test/carrier-process.ts';
import { ended, startWriter } from '../../shim/native/test/endless-writer.ts';
import { followedWorkspace, keptOf, Site } from './site.ts';

const patience = () => AbortSignal.timeout(120_000);

/** A command in a session, which is gone once `end` was called. */
async function inSession(site: Site) {
  const { promise: gone, resolve: end } = Promise.withResolvers<void>();
  const visit = site.visit('one');
  await visit.settle(patience());
  visit.leaveIn({ gone });
  expect(await visit.bringHome(patience())).toBeUndefined();
  visit.end();
  return { end };
}

async function settled(site: Site) {
  const visit = site.visit('one');
  await visit.settle(patience());
  visit.end();
}

function reset(site: Site, forget: () => void) {
  const { homes, turns, slots: replicas } = site;
  return resetReplica(replicas.slot('one', site.replica), followedWorkspace.sync, {
    homes,
    turns,
    replicas,
    forget,
  });
}

test('A-333: what a command left in a session wrote comes home with the next one; what came after the session’s end is kept', async () => {
  await using site = new Site(fileSystems[0]);
  const [there, home] = [site.replicas.one.root, site.home.root];
  const { end } = await inSession(site);
  writeFileSync(join(there, 'left'), 'of the background');
  await settled(site);
  expect(readFileSync(join(home, 'left'), 'utf8')).toBe('of the background');
  expect([existsSync(join(there, 'left')), site.told, keptOf(site.home).size]).toEqual([true, [], 0]);
  end();
  writeFileSync(join(there, 'late'), 'of nobody');
  await settled(site);
  expect(site.told).toMatchObject([{ why: 'late' }]);
  expect([existsSync(join(home, 'late')), keptOf(site.home).has('of nobody')]).toEqual([false, true]);
  expect(site.difference('one')).toBe('');
});

test('A-591: what a session wrote until its end is kept and told then, whether a command comes to that host again or not', async () => {
  await using site = new Site(fileSystems[0]);
  const path = join(site.replicas.one.root, 'left');
  const [first, second] = [await inSession(site), await inSession(site)];
  writeFileSync(path, 'of the background');
  first.end();
  await sleep(500);
  // The other one may still be writing it.
  expect(site.told).toEqual([]);
  second.end();
  await expect.poll(() => site.told, { timeout: 20_000 }).toMatchObject([{ why: 'late' }]);
  expect(keptOf(site.home).has('of the background')).toBe(true);
  await settled(site);
  expect(site.told).toHaveLength(1);
  expect([existsSync(path), site.difference('one')]).toEqual([false, '']);
});

test('A-333: a reset ends a session first, and keeps what that wrote until then', async () => {
  await using site = new Site(fileSystems[0]);
  const path = join(site.replicas.one.root, 'left');
  const { end } = await inSession(site);
  const done = await reset(site, () => {
    writeFileSync(path, 'its last');
    end();
  });
  expect(done).toMatchObject({ done: { kept: { files: expect.any(Array) } } });
  expect([existsSync(path), keptOf(site.home).has('its last')]).toEqual([false, true]);
});

test('A-334: what goes on being written and no command waits for stays on its host: no command and no reset takes it', async () => {
  await using site = new Site('/dev/shm');
  await settled(site);
  const path = join(site.replicas.one.root, 'large');
  writeFileSync(path, Buffer.alloc(8 << 20, 'late'));
  const child = await startWriter(path);
  onTestFinished(() => ended(child));
  const visit = site.visit('one');
  const refused = await visit.settle(patience()).catch((error: unknown) => error);
  visit.end();
  expect(refused).toMatchObject({
    code: 'workspace-unreachable',
    message: expect.stringContaining('on one'),
  });
  expect(await reset(site, () => {})).toMatchObject({ refused: 'not-now' });
  await ended(child);
  const last = readFileSync(path, 'latin1');
  await settled(site);
  expect(site.told.at(-1)).toMatchObject({ why: 'late' });
  expect([existsSync(path), keptOf(site.home).has(last)]).toEqual([false, true]);
});

test('P13: what is late again is kept again, also if its tree is the one that was kept before', async () => {
  await using site = new Site(fileSystems[0]);
  writeFileSync(join(site.home.root, 'file'), 'home');
  const path = join(site.replicas.one.root, 'file');
  const late = async () => {
    await settled(site);
    writeFileSync(path, 'late');
    utimesSync(path, 1, 1);
  };
  await late();
  await late();
  await settled(site);
  expect(site.told).toMatchObject([{ why: 'late' }, { why: 'late' }]);
  expect(readFileSync(path, 'utf8')).toBe('home');
});

test('A-404 P13: what somebody writes in a replica into a file that home has replaced there is kept there, and told', async () => {
  await using site = new Site('/dev/shm');
  const { home, replicas } = site;
  writeFileSync(join(home.root, 'log'), 'home');
  const visit = site.visit('one');
  await visit.settle(patience());
  const fd = openSync(join(replicas.one.root, 'log'), 'a');
  onTestFinished(() => closeSync(fd));
  writeFileSync(join(home.root, 'log'), 'home again');
  await visit.exchange(patience());
  expect(site.keptThere).toEqual([]);
  writeSync(fd, ' and the tool');
  await visit.exchange(patience());
  visit.end();
  const [told] = site.keptThere;
  expect(told).toMatchObject({ host: 'one', count: 1, files: [{ path: Buffer.from('log') }] });
  const kept = join(replicas.one.area, 'kept', told?.files[0]?.kept ?? '');
  expect(readFileSync(kept, 'utf8')).toBe('home and the tool');
  expect(site.difference('one')).toBe('');
});

test('A-481 P13: it is told, too, if no exchange follows and its carrier ends', async () => {
  await using site = new Site('/dev/shm');
  const { home, replicas, slots } = site;
  writeFileSync(join(home.root, 'log'), 'home');
  const visit = site.visit('one');
  await visit.settle(patience());
  const fd = openSync(join(replicas.one.root, 'log'), 'a');
  onTestFinished(() => closeSync(fd));
  writeFileSync(join(home.root, 'log'), 'home again');
  await visit.exchange(patience());
  visit.end();
  writeSync(fd, ' and the tool');
  await slots.close(slots.slot('one', site.replica));
  expect(site.keptThere).toMatchObject([{ host: 'one', count: 1, files: [{ path: Buffer.from('log') }] }]);
});
