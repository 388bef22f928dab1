import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import { Site } from './site.ts';

const patience = () => AbortSignal.timeout(60_000);

/** With holes only. */
function makeLarge(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, defaultLimits.file + 1);
}

test('A-496 P13: a command that made a file too large to be carried is told of it, and all else is at home', async () => {
  await using site = new Site('/dev/shm');
  const there = (path: string) => join(site.replicas.one.root, path);
  const visit = site.visit('one');
  await visit.settle(patience());
  makeLarge(there('core'));
  writeFileSync(there('other'), 'done');
  const left = { agent: 'coder', refused: 0, unstable: [], notCarried: [Buffer.from('core')] };
  expect(await visit.bringHome(patience())).toEqual(left);
  expect(await visit.bringHome(patience())).toEqual(left);
  expect(readdirSync(site.home.root)).toEqual(['other']);
  visit.end();

  const next = site.visit('one');
  await next.settle(patience());
  makeLarge(there('second'));
  expect(await next.bringHome(patience())).toEqual({ ...left, notCarried: [Buffer.from('second')] });
  for (const path of ['core', 'second']) rmSync(there(path));
  expect(await next.bringHome(patience())).toBeUndefined();
  next.end();
});

test('A-548 P13: so is one that wrote under a name that is never carried', async () => {
  await using site = new Site('/dev/shm');
  const visit = site.visit('one');
  await visit.settle(patience());
  for (const name of ['.clawrden', '.clawrden-8', '.clawrden-9', 'in/.clawrden'])
    mkdirSync(join(site.replicas.one.root, name, 'deep'), { recursive: true });
  const left = await visit.bringHome(patience());
  expect(left?.notCarried.map(String).toSorted()).toEqual(['.clawrden', '.clawrden-8']);
  expect(readdirSync(site.home.root).toSorted()).toEqual(['.clawrden-9', 'in']);
  visit.end();
});

test('A-496 P13: so is one that made folders too deep', async () => {
  await using site = new Site('/dev/shm');
  const visit = site.visit('one');
  await visit.settle(patience());
  mkdirSync(join(site.replicas.one.root, 'd/'.repeat(defaultLimits.depth + 1)), { recursive: true });
  const left = await visit.bringHome(patience());
  expect(left?.notCarried.map((path) => path.length)).toEqual([2 * defaultLimits.depth + 1]);
  visit.end();
});
