import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, keepBesideHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { BetweenSteps } from './between-steps.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, makePlace } from './carrier-process.ts';

/** One that keeps large attributes. */
const under = '/dev/shm';
const eio = 5;
const inHome = (pair: Pair, path: string) => join(pair.homePlace.root, path);
const there = (pair: Pair, path: string) => join(pair.replicaPlace.root, path);
const bring = (pair: Pair) => bringHome(pair.home.session, pair.replica.session);
/** The operation fails, and the carrier of the replica goes on. */
const says = (code: string) => ({ code, isOver: false });

describe.each(buildsOrOnly('static'))('A-446 P13: what a replica cannot carry ($name)', ({ carrier }) => {
  test('a file that a tool made larger than the limit is not gone from home, and comes once it is small', async () => {
    const limits = { ...defaultLimits, file: 10_000 };
    await using pair = await Pair.make(carrier, under, { limits });
    writeFileSync(inHome(pair, 'f'), Buffer.alloc(9000));
    await sendOut(pair.home.session, pair.replica.session);
    appendFileSync(there(pair, 'f'), Buffer.alloc(2000));
    await expect(bring(pair)).rejects.toMatchObject({
      ...says('workspace-limit'),
      text: 'f is larger than a file may be',
    });
    await expect(keepBesideHome(pair.home.session, pair.replica.session)).rejects.toMatchObject(
      says('workspace-limit'),
    );
    await pair.again('replica', 'end');
    await expect(bring(pair)).rejects.toMatchObject(says('workspace-limit'));
    expect(statSync(inHome(pair, 'f')).size).toBe(9000);
    truncateSync(there(pair, 'f'), 9500);
    await bring(pair);
    expect(statSync(inHome(pair, 'f')).size).toBe(9500);
    appendFileSync(there(pair, 'f'), Buffer.alloc(2000));
    await expect(bring(pair)).rejects.toMatchObject(says('workspace-limit'));
    rmSync(there(pair, 'f'));
    await bring(pair);
    expect(existsSync(inHome(pair, 'f'))).toBe(false);
  });

  test('a file that is above the limit because that was lowered stays at home, and holds up nothing', async () => {
    using homePlace = makePlace(under);
    using place = makePlace(under);
    writeFileSync(join(homePlace.root, 'f'), Buffer.alloc(9000));
    await using home = await CarrierProcess.start(carrier, homePlace);
    await using replica = await CarrierProcess.start(carrier, place, { role: 'replica' });
    await sendOut(home.session, replica.session);
    replica.session.end();
    await replica.exited();
    const lowered = { ...defaultLimits, file: 5000 };
    await using again = await CarrierProcess.start(carrier, place, { role: 'replica', limits: lowered });
    writeFileSync(join(place.root, 'g'), 'x');
    expect((await bringHome(home.session, again.session))?.exchanged.applied.refused).toEqual([]);
    expect(readdirSync(homePlace.root)).toEqual(['f', 'g']);
  });

  test('A-496 P13: a hundred names that are excluded hide no file that is too large', async () => {
    using place = makePlace(under);
    const limits = { ...defaultLimits, file: 10_000 };
    for (let i = 0; i < 110; i++) {
      mkdirSync(join(place.root, `a${i}`));
      writeFileSync(join(place.root, `a${i}/x`), '');
    }
    for (const name of ['0', 'z']) writeFileSync(join(place.root, name), Buffer.alloc(10_001));
    const how = { role: 'replica', limits, excludes: ['x'] } as const;
    await using replica = await CarrierProcess.start(carrier, place, how);
    const { skipped, skippedCount } = await replica.session.settle();
    expect([skipped.length, skippedCount]).toEqual([100, 112]);
    const large = skipped.filter(({ why }) => why === 'too-large').map(({ path }) => path.toString());
    expect(large.toSorted()).toEqual(['0', 'z']);
  });

  test('A-485 P13: what is excluded since is not gone, at home and there, and no rule is broken by that', async () => {
    using homePlace = makePlace(under);
    using place = makePlace(under);
    const here = (path: string) => join(homePlace.root, path);
    const onHost = (path: string) => join(place.root, path);
    mkdirSync(here('d'));
    for (const path of ['d/f', 'f', 'g', 'h']) writeFileSync(here(path), 'x');
    {
      await using home = await CarrierProcess.start(carrier, homePlace);
      await using replica = await CarrierProcess.start(carrier, place, { role: 'replica' });
      await sendOut(home.session, replica.session);
      for (const { session } of [home, replica]) session.end();
      for (const ended of [home, replica]) await ended.exited();
    }
    const excludes = ['d', 'f', 'h'];
    await using home = await CarrierProcess.start(carrier, homePlace, { excludes });
    await using replica = await CarrierProcess.start(carrier, place, { role: 'replica', excludes });
    rmSync(onHost('f'));
    appendFileSync(onHost('d/f'), 'y');
    appendFileSync(onHost('g'), 'y');
    const brought = await bringHome(home.session, replica.session);
    expect(brought?.exchanged.applied.refused).toEqual([]);
    expect(['d/f', 'f', 'g', 'h'].map((path) => readFileSync(here(path), 'utf8'))).toEqual([
      'x',
      'x',
      'xy',
      'x',
    ]);
    appendFileSync(here('g'), 'z');
    await sendOut(home.session, replica.session);
    expect(['d/f', 'g', 'h'].map((path) => readFileSync(onHost(path), 'utf8'))).toEqual(['xy', 'xyz', 'x']);
  });

  test('a file or a folder that a tool gave more attributes than are carried is not gone from home', async () => {
    await using pair = await Pair.make(carrier, under);
    mkdirSync(inHome(pair, 'd'));
    for (const path of ['f', 'd/f']) writeFileSync(inHome(pair, path), 'x');
    await sendOut(pair.home.session, pair.replica.session);
    for (const path of ['f', 'd', '']) {
      const names = ['user.a', 'user.b'];
      const set = (...words: string[]) => execFileSync('setfattr', [...words, there(pair, path)]);
      for (const name of names) set('-n', name, '-v', `0x${'00'.repeat(40_000)}`);
      await expect(bring(pair)).rejects.toMatchObject({
        ...says('workspace-limit'),
        text: `${path || 'the workspace'} has more attributes than are carried`,
      });
      for (const name of names) set('-x', name);
    }
    await bring(pair);
    expect(pair.difference).toBe('');
    expect(existsSync(inHome(pair, 'd/f'))).toBe(true);
  });

  test('of more entries than there may be none is left out without a word, also if no folder shows it', async () => {
    const limits = { ...defaultLimits, entries: 20 };
    await using pair = await Pair.make(carrier, under, { limits });
    mkdirSync(inHome(pair, 'd'));
    for (let i = 0; i < 10; i++) writeFileSync(inHome(pair, `d/${i}`), '');
    await sendOut(pair.home.session, pair.replica.session);
    const { atime, mtime } = statSync(there(pair, 'd'));
    for (let i = 10; i < 30; i++) writeFileSync(there(pair, `d/${i}`), '');
    await expect(bring(pair)).rejects.toMatchObject(says('workspace-limit'));
    for (let i = 0; i < 18; i++) rmSync(there(pair, `d/${i}`));
    for (let i = 0; i < 18; i++) writeFileSync(there(pair, `d/n${i}`), '');
    utimesSync(there(pair, 'd'), atime, mtime);
    await expect(bring(pair)).rejects.toMatchObject(says('workspace-limit'));
    expect(readdirSync(inHome(pair, 'd'))).toHaveLength(10);
    for (let i = 10; i < 30; i++) rmSync(there(pair, `d/${i}`), { force: true });
    await bring(pair);
    expect(pair.difference).toBe('');
  });
});

test('A-446 P13: a file of which a disk says an error is not gone from home, and comes once it can be read', async () => {
  using homePlace = makePlace(under);
  using place = makePlace(under);
  using steps = new BetweenSteps(place.folder);
  writeFileSync(join(homePlace.root, 'f'), 'x');
  await using home = await CarrierProcess.start(BetweenSteps.carrier, homePlace, {}, steps.wrapper);
  const wrapper = steps.wrapper;
  await using replica = await CarrierProcess.start(BetweenSteps.carrier, place, { role: 'replica' }, wrapper);
  await sendOut(home.session, replica.session);
  steps.set('/', [{ at: eio, what: 'fail', path: 'f' }]);
  appendFileSync(join(place.root, 'f'), 'y');
  for (const round of [1, 2])
    await expect(bringHome(home.session, replica.session), `${round}`).rejects.toMatchObject({
      ...{ code: 'carrier-failed', text: 'f cannot be read', isOver: false },
    });
  expect(statSync(join(homePlace.root, 'f')).size).toBe(1);
  steps.set('/', []);
  await bringHome(home.session, replica.session);
  expect(statSync(join(homePlace.root, 'f')).size).toBe(2);
});
