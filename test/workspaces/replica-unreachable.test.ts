import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ReplicaUnreachable } from '../../gateway/workspaces/faults.ts';
import { type HostName, Site } from './site.ts';

const patience = () => AbortSignal.timeout(60_000);

async function settledOn(site: Site, host: HostName): Promise<unknown> {
  const visit = site.visit(host);
  try {
    return await visit.settle(patience());
  } catch (error) {
    return error;
  } finally {
    visit.end();
  }
}

/** The folder is a link: no carrier works in what it leads to. */
function spoil({ root }: Site['home']): void {
  rmSync(root, { recursive: true });
  symlinkSync('/tmp', root);
}

test.each<[string, (site: Site) => void | Promise<void>]>([
  ['its carrier does not start', (site) => void site.broken.add('one')],
  ['its folder is a link', (site) => spoil(site.replicas.one)],
  [
    'its carrier ends between two commands, and does not start again',
    async (site) => {
      expect(await settledOn(site, 'one')).toBeUndefined();
      site.broken.add('one');
      await site.kill('one');
    },
  ],
])('12: a replica cannot be reached (%s): the same home serves another host at once', async (_what, fail) => {
  await using site = new Site('/dev/shm');
  writeFileSync(join(site.home.root, 'file'), 'x');
  await fail(site);
  expect(await settledOn(site, 'one')).toBeInstanceOf(ReplicaUnreachable);
  expect(await settledOn(site, 'two')).toBeUndefined();
  expect([site.difference('two'), site.homesBegun]).toEqual(['', 1]);
});

test('12: what a replica sent before it ended takes no room at home, and home serves on', async () => {
  await using site = new Site('/dev/shm');
  const visit = site.visit('one');
  await visit.settle(patience());
  for (let name = 0; name < 300; name++)
    writeFileSync(join(site.replicas.one.root, `${name}`), Buffer.alloc(200_000, name));
  const staged = () => readdirSync(join(site.home.area, 'stage'), { recursive: true }).length;
  const bringing = visit.bringHome(patience()).catch((error: unknown) => error);
  await expect
    .poll(() => existsSync(join(site.home.area, 'stage')) && staged(), { interval: 1 })
    .toBeTruthy();
  await site.kill('one');
  expect(await bringing).toBeInstanceOf(ReplicaUnreachable);
  expect(existsSync(join(site.home.area, 'stage'))).toBe(false);
  expect(readdirSync(site.home.root)).toEqual([]);
  visit.end();
  expect(await settledOn(site, 'two')).toBeUndefined();
  expect(site.homesBegun).toBe(1);
});

test('12: a home that goes away is told from a replica that does', async () => {
  await using site = new Site('/dev/shm');
  expect(await settledOn(site, 'one')).toBeUndefined();
  const visit = site.visit('one');
  await site.freeze('home');
  const settling = visit.settle(patience()).catch((error: unknown) => error);
  // Home has been asked by then; one that had not been would have given way to the next.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await site.kill('home');
  const error = await settling;
  expect(error).toMatchObject({ code: 'workspace-unreachable', message: expect.stringContaining('home') });
  expect(error).not.toBeInstanceOf(ReplicaUnreachable);
  visit.end();
});
