import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSystems } from '../../shim/native/test/carrier-process.ts';
import { Site } from './site.ts';

const never = new AbortController().signal;

/** A command on host one has started, and a file is then changed by it and at home. */
async function meeting(site: Site) {
  writeFileSync(join(site.home.root, 'file'), 'before');
  const visit = site.visit('one');
  await visit.settle(never);
  writeFileSync(join(site.replicas.one.root, 'file'), "the tool's");
  writeFileSync(join(site.home.root, 'file'), "the agent's");
  return visit;
}

test.each<[string, (site: Site, visit: ReturnType<Site['visit']>) => Promise<unknown>]>([
  ['when another command starts there', (site) => site.visit('one').settle(never)],
  ['while it runs', (_site, visit) => visit.exchange(never)],
])('12: a command hears at its end of changes that home refused %s', async (_when, meet) => {
  await using site = new Site(fileSystems[0]);
  const visit = await meeting(site);
  await meet(site, visit);
  expect(site.told).toMatchObject([{ why: 'conflict', count: 1 }]);
  expect(await visit.bringHome(never)).toMatchObject({ agent: 'coder', refused: 1 });
  expect(site.told).toHaveLength(1);
  expect(readFileSync(join(site.home.root, 'file'), 'utf8')).toBe("the agent's");
});

test('12: a command does not hear of changes that home refused before it started', async () => {
  await using site = new Site(fileSystems[0]);
  const visit = await meeting(site);
  const next = site.visit('one');
  await next.settle(never);
  expect(await next.bringHome(never)).toBeUndefined();
  visit.end();
  next.end();
});
