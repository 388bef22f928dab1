import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { becomeHome, bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import type { TimedStep } from './between-steps.ts';
import { pairWithSteps } from './carrier-pair.ts';
import { fileSystems } from './carrier-process.ts';

const { EIO, ENOENT } = constants.errno;
const [under] = fileSystems;
type Failing = Pick<TimedStep, 'what' | 'path'> & Partial<TimedStep>;
const failing = (...steps: Failing[]) => steps.map((step) => ({ at: EIO, ...step }));
const unread = (paths: string, code = 'workspace-unread') => ({
  ...{ code, isOver: false },
  text: expect.stringMatching(`^(${paths}) cannot be read$`),
});

/** A pair; what makes each of its disks fail; its exchanges. */
async function made() {
  const { pair, steps } = await pairWithSteps(under);
  const { homePlace, replicaPlace } = pair;
  return {
    pair,
    inHome: (path: string) => join(homePlace.root, path),
    there: (path: string) => join(replicaPlace.root, path),
    send: () => sendOut(pair.home.session, pair.replica.session),
    bring: () => bringHome(pair.home.session, pair.replica.session),
    homeFails: (...what: Parameters<typeof failing>) => (steps[2] ?? steps[0])?.set('/', failing(...what)),
    replicaFails: (...what: Parameters<typeof failing>) => steps[1]?.set('/', failing(...what)),
  };
}

test('A-478 P13: what home has and cannot read is not gone, for no replica, and comes once it can be read', async () => {
  const { pair, inHome, there, send, homeFails } = await made();
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
  const { pair, inHome, there, send, homeFails } = await made();
  await using _ = pair;
  homeFails({ what: 'fail', path: 'f' });
  for (const path of ['f', 'g']) writeFileSync(inHome(path), 'x');
  await send();
  expect([existsSync(there('f')), existsSync(there('g'))]).toEqual([false, true]);
  const { skipped } = await pair.home.session.settle();
  expect(skipped.map(({ why, path }) => `${why} ${path.toString()}`)).toEqual(['unreadable f']);
});

test('A-478 P13: what home left out before, deleted before or never read holds up nothing if it cannot be read', async () => {
  const { pair, inHome, there, send, homeFails } = await made();
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
    const { pair, inHome, there, send, homeFails } = await made();
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
  const { pair, inHome, there, send, homeFails } = await made();
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
  const { pair, inHome, there, send, bring, replicaFails } = await made();
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
  const { pair, inHome, there, send, bring, replicaFails } = await made();
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
  const { pair, inHome, send, homeFails } = await made();
  await using _ = pair;
  writeFileSync(inHome('f'), 'x');
  await send();
  homeFails({ what: 'fail to list', path: 'f' });
  await expect(pair.home.session.settle({ all: true })).rejects.toMatchObject({ code: 'carrier-failed' });
});

test('A-484 P13: a file that cannot be opened as it is sent does not lose its attributes', async () => {
  const { pair, inHome, there, send, bring, replicaFails } = await made();
  await using _ = pair;
  writeFileSync(inHome('f'), 'x');
  execFileSync('setfattr', ['-n', 'user.a', '-v', 'b', inHome('f')]);
  await send();
  replicaFails({ what: 'fail to open', path: 'f' });
  chmodSync(there('f'), 0o600);
  const sent = (await bring())?.exchanged.sent;
  expect(sent).toMatchObject({ entries: 0, unstable: 1 });
  replicaFails();
  await bring();
  expect([pair.difference, statSync(inHome('f')).mode & 0o777]).toEqual(['', 0o600]);
  expect(execFileSync('getfattr', ['-d', '--absolute-names', inHome('f')]).toString()).toContain('user.a');
});

const attributesOf = (path: string) => execFileSync('getfattr', ['-d', '--absolute-names', path]).toString();

test.each(['f', 'd', ''])(
  'A-484 P13: what home cannot open as it sends all it has (%j) stays at the replica',
  async (path) => {
    const { pair, inHome, there, send, homeFails } = await made();
    await using _ = pair;
    mkdirSync(inHome('d'));
    for (const file of ['d/f', 'f']) writeFileSync(inHome(file), 'x');
    execFileSync('setfattr', ['-n', 'user.a', '-v', 'b', inHome(path)]);
    await sleep(50);
    await send();
    homeFails({ what: path === '' ? 'fail attributes' : 'fail to open', path });
    const name = path === '' ? 'the workspace' : path;
    await expect(becomeHome(pair.home.session, pair.replica.session)).rejects.toMatchObject(unread(name));
    expect([readdirSync(there('')).sort(), readdirSync(there('d'))]).toEqual([['d', 'f'], ['f']]);
    homeFails();
    await send();
    expect([pair.difference, attributesOf(there(path))]).toEqual(['', expect.stringContaining('user.a')]);
  },
);

test('A-484 P13: what is gone as home sends all it has is named, and comes again if it is back', async () => {
  const { pair, inHome, there, send, homeFails } = await made();
  await using _ = pair;
  mkdirSync(inHome('d'));
  writeFileSync(inHome('d/f'), 'x');
  execFileSync('setfattr', ['-n', 'user.a', '-v', 'b', inHome('d')]);
  await sleep(50);
  await send();
  homeFails({ what: 'fail to open', path: 'd', at: ENOENT });
  await becomeHome(pair.home.session, pair.replica.session);
  expect(readdirSync(there('d'))).toEqual(['f']);
  homeFails();
  await send();
  expect([pair.difference, attributesOf(there('d'))]).toEqual(['', expect.stringContaining('user.a')]);
});
