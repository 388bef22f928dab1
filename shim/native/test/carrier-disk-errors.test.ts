import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failingPair, unread } from './failing-pair.ts';

test('A-478 P13: what home has and cannot read is not gone, for no replica, and comes once it can be read', async () => {
  const { pair, inHome, there, send, homeFails } = await failingPair();
  await using _ = pair;
  mkdirSync(inHome('d'));
  for (const path of ['d/f', 'f']) writeFileSync(inHome(path), 'x');
  await send();
  homeFails({ what: 'fail', path: 'f' });
  for (const path of ['d/f', 'f']) appendFileSync(inHome(path), 'y');
  for (const round of [1, 2]) await expect(send(), `${round}`).rejects.toMatchObject(unread('d/f|f'));
  for (const path of ['d/f', 'f']) expect(readFileSync(there(path), 'utf8')).toBe('x');
  homeFails();
  // all of them are looked at again.
  await send();
  expect([pair.difference, statSync(there('f')).size]).toEqual(['', 2]);
});

test('A-478 P13: what home never could read holds up nothing, and is told', async () => {
  const { pair, inHome, there, send, homeFails } = await failingPair();
  await using _ = pair;
  homeFails({ what: 'fail', path: 'f' });
  for (const path of ['f', 'g']) writeFileSync(inHome(path), 'x');
  await send();
  expect([existsSync(there('f')), existsSync(there('g'))]).toEqual([false, true]);
  const { skipped } = await pair.home.session.settle();
  expect(skipped.map(({ why, path }) => `${why} ${path.toString()}`)).toEqual(['unreadable f']);
});

test('A-478 P13: what home left out before, deleted before or never read holds up nothing if it cannot be read', async () => {
  const { pair, inHome, there, send, homeFails } = await failingPair();
  await using _ = pair;
  for (const path of ['mount', 'gone', 'a', 'b', 'c']) writeFileSync(inHome(path), 'x');
  await send();
  for (const path of ['mount', 'gone']) rmSync(inHome(path));
  execFileSync('mkfifo', [inHome('mount')]);
  await send();
  homeFails(
    { what: 'fail', path: 'mount' },
    { what: 'fail', path: 'gone' },
    { what: 'fail to list', path: 'in' },
  );
  mkdirSync(inHome('new'));
  for (const path of ['gone', 'new/in', 'g']) writeFileSync(inHome(path), 'x');
  const { skipped } = await pair.home.session.settle({ all: true });
  expect(skipped.map(({ path }) => path.toString()).sort()).toEqual(['gone', 'mount', 'new']);
  await send();
  expect(readdirSync(there(''))).toEqual(['a', 'b', 'c', 'g']);
});

test.each(['end', 'kill'] as const)(
  'A-478 P13: what home cannot read any more is not gone after its %s',
  async (how) => {
    const { pair, inHome, there, send, homeFails } = await failingPair();
    await using _ = pair;
    mkdirSync(inHome('d'));
    writeFileSync(inHome('d/f'), 'x');
    await send();
    homeFails({ what: 'fail', path: 'f' });
    appendFileSync(inHome('d/f'), 'y');
    await expect(send()).rejects.toMatchObject(unread('d/f'));
    await pair.again('home', how);
    homeFails({ what: 'fail', path: 'f' });
    await pair.home.session.settle({ all: true });
    await expect(send()).rejects.toMatchObject(unread('d/f'));
    expect(existsSync(there('d/f'))).toBe(true);
  },
);

test('A-478 P13: what is in a folder that could not be read for a while is not gone', async () => {
  const { pair, inHome, there, send, homeFails } = await failingPair();
  await using _ = pair;
  mkdirSync(inHome('d'));
  for (const path of ['d/f', 'd/g']) writeFileSync(inHome(path), 'x');
  await send();
  homeFails({ what: 'fail to list', path: 'f' });
  writeFileSync(inHome('d/new'), 'x');
  await pair.home.session.settle({ all: true });
  await expect(send()).rejects.toMatchObject(unread('d'));
  homeFails({ what: 'fail', path: 'f' });
  rmSync(inHome('d/g'));
  await expect(send()).rejects.toMatchObject(unread('d/f'));
  expect(readdirSync(there('d'))).toEqual(['f', 'g']);
  homeFails();
  await send();
  expect([pair.difference, readdirSync(there('d'))]).toEqual(['', ['f', 'new']]);
});

test('A-483 P13: of several files that a disk failed to read none costs an exchange of its own', async () => {
  const { pair, inHome, there, send, bring, replicaFails } = await failingPair();
  await using _ = pair;
  const names = ['a', 'b', 'c'];
  for (const name of names) writeFileSync(inHome(name), 'x');
  await send();
  replicaFails(...names.map((path) => ({ what: 'fail', path }) as const));
  for (const name of names) appendFileSync(there(name), 'y');
  await expect(bring()).rejects.toMatchObject(unread('a|b|c', 'carrier-failed'));
  replicaFails();
  await bring();
  expect(names.map((name) => readFileSync(inHome(name), 'utf8'))).toEqual(['xy', 'xy', 'xy']);
});

test.each([
  ['cannot be opened', { what: 'fail to open', path: 'new' }, 'new/in', 'new'],
  ['cannot be listed', { what: 'fail to list', path: 'in' }, 'new/in', 'new'],
  ['has a file that changed, and cannot be opened', { what: 'fail to open', path: 'd' }, 'd/f', 'd/f'],
  ['has a file without readable attributes', { what: 'fail attributes', path: '' }, 'd/f', 'd/f'],
] as const)('A-479 P13: a folder that %s is not as it was', async (_what, step, path, unreadable) => {
  const { pair, inHome, there, send, bring, replicaFails } = await failingPair();
  await using _ = pair;
  mkdirSync(inHome('d'));
  writeFileSync(inHome('d/f'), 'x');
  await send();
  // From then on what it knows of the folder is believed.
  await sleep(50);
  await pair.replica.session.settle({ all: true });
  replicaFails(step);
  mkdirSync(dirname(there(path)), { recursive: true });
  writeFileSync(there(path), 'longer');
  await expect(bring()).rejects.toMatchObject(unread(unreadable, 'carrier-failed'));
  expect([readdirSync(inHome('')), readFileSync(inHome('d/f'), 'utf8')]).toEqual([['d'], 'x']);
  replicaFails();
  await bring();
  expect([pair.difference, readFileSync(inHome(path), 'utf8')]).toEqual(['', 'longer']);
});

test('A-479 P13: a workspace that cannot be listed to its end is not what was listed', async () => {
  const { pair, inHome, send, homeFails } = await failingPair();
  await using _ = pair;
  writeFileSync(inHome('f'), 'x');
  await send();
  homeFails({ what: 'fail to list', path: 'f' });
  await expect(pair.home.session.settle({ all: true })).rejects.toMatchObject({ code: 'carrier-failed' });
});

test.each(['while it looks', 'while it is away'])(
  'A-486 P13: what the next folder of a name has and home cannot read is not gone (%s)',
  async (when) => {
    const { pair, inHome, there, send, homeFails } = await failingPair();
    await using _ = pair;
    for (const folder of ['d', 'd/in', 'next', 'next/in']) mkdirSync(inHome(folder));
    for (const path of ['d/f', 'd/in/f', 'd/gone', 'next/in/f']) writeFileSync(inHome(path), 'x');
    await send();
    if (when === 'while it is away') await pair.again('home', 'end');
    homeFails({ what: 'fail', path: 'f' });
    rmSync(inHome('next/in/f'));
    for (const path of ['next/f', 'next/in/f']) writeFileSync(inHome(path), 'xy');
    rmSync(inHome('d'), { recursive: true });
    renameSync(inHome('next'), inHome('d'));
    await pair.home.session.settle({ all: true });
    await expect(send()).rejects.toMatchObject(unread('d/f|d/in/f'));
    for (const path of ['d/f', 'd/in/f']) expect(readFileSync(there(path), 'utf8')).toBe('x');
    homeFails();
    await send();
    expect([pair.difference, readdirSync(there('d')).sort()]).toEqual(['', ['f', 'in']]);
  },
);

test('A-486 P13: what was in a folder that is gone holds up nothing in a folder that is made anew', async () => {
  const { pair, inHome, there, send, homeFails } = await failingPair();
  await using _ = pair;
  mkdirSync(inHome('d'));
  for (const path of ['a', 'b', 'c', 'd/f']) writeFileSync(inHome(path), 'x');
  await send();
  homeFails({ what: 'fail', path: 'f' });
  appendFileSync(inHome('d/f'), 'y');
  await expect(send()).rejects.toMatchObject(unread('d/f'));
  rmSync(inHome('d'), { recursive: true });
  await send();
  expect(readdirSync(there(''))).toEqual(['a', 'b', 'c']);
  mkdirSync(inHome('d'));
  for (const path of ['d/f', 'd/g']) writeFileSync(inHome(path), 'x');
  await send();
  expect(readdirSync(there('d'))).toEqual(['g']);
});
