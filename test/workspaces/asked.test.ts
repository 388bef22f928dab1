import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { agent, Site } from './site.ts';

const patience = () => AbortSignal.timeout(60_000);
const { settle, changes, begin, verify, commit, acknowledge } = CarrierFrame;

/** One command on host one, on which all is settled; and what its two carriers were asked. */
async function asked(site: Site, before: () => void, tool: () => void) {
  before();
  for (const list of Object.values(site.asked)) list.length = 0;
  const visit = site.visit('one');
  await visit.settle(patience());
  tool();
  await visit.bringHome(patience());
  visit.end();
  return { home: site.asked.home, replica: site.asked.one };
}

const nothing = () => {};

test('12: of a command nothing is asked that is known', async () => {
  await using site = new Site('/dev/shm');
  writeFileSync(join(site.home.root, 'file'), 'x');
  await asked(site, nothing, nothing);
  expect(await asked(site, nothing, nothing)).toEqual({ home: [settle], replica: [settle, settle] });
  const typed = () => writeFileSync(join(site.home.root, 'file'), 'typed');
  expect(await asked(site, typed, nothing)).toEqual({
    home: [settle, changes],
    replica: [settle, begin, verify, commit, settle],
  });
  const made = () => writeFileSync(join(site.replicas.one.root, 'file'), 'made');
  expect(await asked(site, nothing, made)).toEqual({
    home: [settle, begin, verify, commit],
    replica: [settle, settle, changes, acknowledge],
  });
  expect(site.difference('one')).toBe('');
});

/** Through a name that is gone before anybody asks: the kernel says nothing of it at the other names. */
function writeUnseen(root: string): void {
  linkSync(join(root, 'file'), join(root, 'other'));
  writeFileSync(join(root, 'other'), 'unseen');
  rmSync(join(root, 'other'));
}

test('12: what a carrier found that the kernel had not told is told once', async () => {
  await using site = new Site('/dev/shm');
  writeFileSync(join(site.home.root, 'file'), 'seen');
  await asked(site, nothing, nothing);
  const look = () =>
    site.homes.use(agent, (home) => home.settle({ check: true }), patience()).then(() => site.missed);
  expect(await look()).toEqual([]);
  writeUnseen(site.home.root);
  expect(await look()).toEqual(['home 1']);
  expect(await look()).toEqual(['home 1']);
  const visit = site.visit('one');
  await visit.settle(patience());
  expect(site.difference('one')).toBe('');
  writeUnseen(site.replicas.one.root);
  await (await site.slots.known('one', site.replica)?.opening)?.session.settle({ check: true });
  await visit.bringHome(patience());
  visit.end();
  expect([site.missed, site.difference('one')]).toEqual([['home 1', 'one 1'], '']);
});
