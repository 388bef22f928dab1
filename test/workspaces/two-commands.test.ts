import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSystems } from '../../shim/native/test/carrier-process.ts';
import { type HostName, keptOf, Site } from './site.ts';

const never = new AbortController().signal;

/** Two commands that run at once, on a tree with one file. */
async function started(site: Site, ...hosts: readonly [HostName, HostName]) {
  writeFileSync(join(site.home.root, 'file'), 'before');
  const [first, second] = [site.visit(hosts[0]), site.visit(hosts[1])];
  await Promise.all([first.settle(never), second.settle(never)]);
  const write = (host: HostName, text: string) => writeFileSync(join(site.replicas[host].root, 'file'), text);
  return { first, second, write, home: () => readFileSync(join(site.home.root, 'file'), 'utf8') };
}

test('18: of a file that two commands wrote on two hosts the first to end is at home, and the other’s is kept', async () => {
  await using site = new Site(fileSystems[0]);
  const { first, second, write, home } = await started(site, 'one', 'two');
  write('one', 'of one');
  write('two', 'of two');
  expect(await second.bringHome(never)).toBeUndefined();
  expect(await first.bringHome(never)).toMatchObject({ refused: 1 });
  expect([home(), [...keptOf(site.home)]]).toEqual(['of two', ['of one']]);
  for (const host of ['one', 'two'] as const) {
    const next = site.visit(host);
    await next.settle(never);
    expect(site.difference(host)).toBe('');
    next.end();
  }
});

test('18: two commands on one host share its tree: home has what was written last', async () => {
  await using site = new Site(fileSystems[0]);
  const { first, second, write, home } = await started(site, 'one', 'one');
  write('one', 'of the second');
  write('one', 'of the first');
  expect(await second.bringHome(never)).toBeUndefined();
  expect(home()).toBe('of the first');
  write('one', 'of the first, again');
  expect(await first.bringHome(never)).toBeUndefined();
  expect([home(), keptOf(site.home).size, site.difference('one')]).toEqual(['of the first, again', 0, '']);
});
