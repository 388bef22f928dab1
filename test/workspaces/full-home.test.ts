import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptOf, Site } from './site.ts';

const patience = () => AbortSignal.timeout(60_000);

/** A disk of 600 KiB, gone at the end. */
function smallDisk(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync('/var/tmp/clawrden-small-');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'none', folder]);
  const end = () => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  };
  return { folder, [Symbol.dispose]: end };
}

/** The gateway before this one left it there: no command waits for it. */
async function leaveLate(site: Site, bytes: Buffer): Promise<void> {
  const visit = site.visit('one');
  await visit.settle(patience());
  writeFileSync(join(site.replicas.one.root, 'late'), bytes);
  visit.end();
}

/** Of each time that something was told; the root is always another one, for its time. */
const filesTold = (site: Site) =>
  site.told.map(({ files }) => files.map(({ path }) => path.toString()).filter((path) => path !== ''));

test.runIf(process.getuid?.() === 0)(
  '12: a home that is full says so in one line, each time, and loses nothing; with room, what was late is kept once',
  async () => {
    using disk = smallDisk();
    await using site = new Site('/dev/shm', disk.folder);
    writeFileSync(join(site.home.root, 'mine'), 'home');
    writeFileSync(join(site.home.root, 'large'), Buffer.alloc(400_000, 1));
    const late = Buffer.alloc(290_000, 'late');
    await leaveLate(site, late);
    for (let times = 0; times < 3; times++) {
      const visit = site.visit('one');
      const refused = await visit.settle(patience()).catch((error: unknown) => error);
      visit.end();
      expect(refused).toMatchObject({
        code: 'workspace-full',
        message: expect.stringMatching(/^there is no room [^\n]* \(workspace at home\)$/),
      });
      expect([site.told, keptOf(site.home).size]).toEqual([[], 0]);
      expect(readFileSync(join(site.replicas.one.root, 'late')).equals(late)).toBe(true);
    }
    // Where nothing has to be kept, its commands run all the same.
    const elsewhere = site.visit('two');
    await elsewhere.settle(patience());
    expect(await elsewhere.bringHome(patience())).toBeUndefined();
    elsewhere.end();
    rmSync(join(site.home.root, 'large'));
    const healed = site.visit('one');
    await healed.settle(patience());
    expect(await healed.bringHome(patience())).toBeUndefined();
    healed.end();
    expect(filesTold(site)).toEqual([['late']]);
    expect(keptOf(site.home)).toEqual(new Set([late.toString('latin1')]));
    expect(site.difference('one')).toBe('');
    expect(site.homesBegun).toBe(1);
  },
);

test('12: what was late is named and kept once, however often the replica then fails to become what home is', async () => {
  await using site = new Site('/dev/shm');
  writeFileSync(join(site.home.root, 'mine'), 'home');
  await leaveLate(site, Buffer.from('late'));
  for (let times = 0; times < 3; times++) {
    site.failing.add('one');
    const visit = site.visit('one');
    await expect(visit.settle(patience())).rejects.toMatchObject({ code: 'workspace-unreachable' });
    visit.end();
    expect(filesTold(site)).toEqual([['late']]);
  }
  site.failing.clear();
  const visit = site.visit('one');
  await visit.settle(patience());
  visit.end();
  expect([site.told.length, keptOf(site.home).size, site.difference('one')]).toEqual([1, 1, '']);
});
