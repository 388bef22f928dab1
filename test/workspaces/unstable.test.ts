import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ended, startWriter } from '../../shim/native/test/endless-writer.ts';
import { Site } from './site.ts';

const patience = () => AbortSignal.timeout(120_000);
const megabytes = 16;

/** A command has run, and something still writes `large`. */
async function writing(site: Site) {
  const visit = site.visit('one');
  await visit.settle(patience());
  const path = join(site.replicas.one.root, 'large');
  writeFileSync(path, Buffer.alloc(megabytes << 20));
  writeFileSync(join(site.replicas.one.root, 'other'), 'done');
  return { visit, path, child: await startWriter(path) };
}

test('12: a file that changes while it is read comes home before the command ends', async () => {
  await using site = new Site('/dev/shm');
  const { visit, path, child } = await writing(site);
  const bringing = visit.bringHome(patience());
  await sleep(300);
  await ended(child);
  expect(await bringing).toBeUndefined();
  expect(readFileSync(join(site.home.root, 'large')).equals(readFileSync(path))).toBe(true);
  expect(site.difference('one')).toBe('');
  visit.end();
});

test('12: a file that never rests is named, and all else is at home', async () => {
  await using site = new Site('/dev/shm');
  const { visit, child } = await writing(site);
  const left = await visit.bringHome(patience());
  await ended(child);
  expect(left).toMatchObject({ agent: 'coder', refused: 0, unstable: [Buffer.from('large')] });
  expect(readFileSync(join(site.home.root, 'other'), 'utf8')).toBe('done');
  visit.end();
});

test("12: a file that another command goes on writing is that one's to bring home", async () => {
  await using site = new Site('/dev/shm');
  const { visit: server, path, child } = await writing(site);
  const visit = site.visit('one');
  await visit.settle(patience());
  writeFileSync(join(site.replicas.one.root, 'mine'), 'done');
  expect(await visit.bringHome(patience())).toBeUndefined();
  expect(readFileSync(join(site.home.root, 'mine'), 'utf8')).toBe('done');
  visit.end();
  await ended(child);
  expect(await server.bringHome(patience())).toBeUndefined();
  server.end();
  expect(readFileSync(join(site.home.root, 'large')).equals(readFileSync(path))).toBe(true);
});
