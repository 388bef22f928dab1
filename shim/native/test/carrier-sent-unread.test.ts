import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { becomeHome } from '../../../src/carrier-client/exchange.ts';
import { failingPair, unread } from './failing-pair.ts';

const { EAGAIN, ENOENT } = constants.errno;

test('A-484 P13: a file that cannot be opened as it is sent does not lose its attributes', async () => {
  const { pair, inHome, there, send, bring, replicaFails } = await failingPair();
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
    const { pair, inHome, there, send, homeFails } = await failingPair();
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
  const { pair, inHome, there, send, homeFails } = await failingPair();
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

test('A-487 P13: a link that home cannot read is not gone, in a look or as all of it is sent', async () => {
  const { pair, inHome, there, send, homeFails } = await failingPair();
  await using _ = pair;
  for (const path of ['f', 'l']) symlinkSync('x', inHome(path));
  await sleep(50);
  await send();
  homeFails({ what: 'fail to read link', path: 'l' });
  await expect(becomeHome(pair.home.session, pair.replica.session)).rejects.toMatchObject(unread('l'));
  for (const path of ['f', 'l']) rmSync(inHome(path));
  for (const path of ['f', 'l']) symlinkSync('y', inHome(path));
  await expect(send()).rejects.toMatchObject(unread('l'));
  expect(readlinkSync(there('l'))).toBe('x');
  homeFails();
  await send();
  expect([pair.difference, readlinkSync(there('l'))]).toEqual(['', 'y']);
});

test('A-487 P13: a link that leads elsewhere as home sends all it has goes as it is, at whichever call', async () => {
  const { pair, inHome, there, send, homeSteps } = await failingPair();
  await using _ = pair;
  for (const path of ['l', 'next']) symlinkSync(path, inHome(path));
  await sleep(50);
  await send();
  let most = 1;
  for (let call = 0; call < most; call++) {
    homeSteps()?.set(inHome(''), [{ at: call, what: 'swap', path: 'l', to: 'next' }]);
    await becomeHome(pair.home.session, pair.replica.session);
    most = homeSteps()?.calls ?? 0;
    expect([call, readdirSync(there('')).sort()]).toEqual([call, ['l', 'next']]);
  }
  expect(most).toBeGreaterThan(5);
});

test('A-627 P13: a small file that home writes as it is sent goes as it is, at whichever call', async () => {
  const { pair, inHome, there, send, homeSteps } = await failingPair();
  await using _ = pair;
  let most = 1;
  for (let call = 0; call < most; call++) {
    for (const path of ['f', 'g', `new${call}`]) appendFileSync(inHome(path), `${path} ${call}`);
    homeSteps()?.set(inHome(''), [{ at: call, what: 'rename', path: 'g', to: 'f' }]);
    const now = [readFileSync(inHome('f'), 'utf8'), readFileSync(inHome('g'), 'utf8')];
    await send();
    most = homeSteps()?.calls ?? 0;
    expect([call, now, readFileSync(there('f'), 'utf8')]).toEqual([call, now, expect.toBeOneOf(now)]);
    await send();
    expect(pair.difference).toBe('');
  }
  expect(most).toBeGreaterThan(5);
});

test('A-488 P13: what changed and cannot be sent with its attributes now goes with the next exchange', async () => {
  const { pair, inHome, there, send, homeFails } = await failingPair();
  await using _ = pair;
  writeFileSync(inHome('f'), 'x');
  execFileSync('setfattr', ['-n', 'user.a', '-v', 'b', inHome('f')]);
  await sleep(50);
  await send();
  homeFails({ what: 'fail to open', path: 'f', at: EAGAIN });
  for (const path of ['f', 'g']) appendFileSync(inHome(path), 'y');
  await send();
  expect([readFileSync(there('f'), 'utf8'), readFileSync(there('g'), 'utf8')]).toEqual(['x', 'y']);
  homeFails();
  await send();
  expect([pair.difference, readFileSync(there('f'), 'utf8')]).toEqual(['', 'xy']);
});
