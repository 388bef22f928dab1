import { mkdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, type Place } from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

const places = buildsOrOnly('static');
const long = process.env['CLAWRDEN_LONG'] === '1';
const seed = Number(process.env['CLAWRDEN_SEED'] ?? 1);

const logOf = ({ area }: Place) => join(area, 'index.log');
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What it knows is on the disk: it is written behind the answer. */
async function saved({ area }: Place): Promise<void> {
  while (!readFileSync(join(area, 'state'), 'utf8').startsWith('clean')) await sleep(5);
}

async function exchange(pair: Pair): Promise<void> {
  await bringHome(pair.home.session, pair.replica.session);
  await sendOut(pair.home.session, pair.replica.session);
  await saved(pair.replicaPlace);
}

describe.each(places)('the log of an index ($name, $under)', ({ name, carrier, under }) => {
  test('what is written behind an answer is what changed, not the index', async () => {
    await using pair = await Pair.make(carrier, under);
    mkdirSync(join(pair.homePlace.root, 'folder'));
    for (let file = 0; file < 500; file++) writeFileSync(join(pair.homePlace.root, 'folder', `${file}`), '');
    await exchange(pair);
    const whole = join(pair.replicaPlace.area, 'index');
    const { ino } = statSync(whole);
    for (let round = 1; round < 4; round++) {
      const before = sizeOf(logOf(pair.replicaPlace));
      writeFileSync(join(pair.homePlace.root, 'folder', '7'), `${round}`);
      await exchange(pair);
      expect(sizeOf(logOf(pair.replicaPlace)) - before).toBeGreaterThan(100);
      expect(sizeOf(logOf(pair.replicaPlace)) - before).toBeLessThan(4000);
    }
    expect(statSync(whole).ino).toBe(ino);
    const { at, tree } = await pair.replica.session.settle();
    await pair.again('replica', 'kill');
    expect(await pair.replica.session.settle()).toMatchObject({ remembered: true, at, tree, dirty: 0 });
  });

  test('what was saved before it was brought home is known to be there', async () => {
    await using pair = await Pair.make(carrier, under);
    writeFileSync(join(pair.homePlace.root, 'f'), 'first');
    await exchange(pair);
    writeFileSync(join(pair.replicaPlace.root, 'f'), 'by a tool');
    expect(await pair.replica.session.settle()).toMatchObject({ dirty: 1 });
    await saved(pair.replicaPlace);
    await exchange(pair);
    await pair.again('replica', 'kill');
    expect(await pair.replica.session.settle()).toMatchObject({ remembered: true, dirty: 0 });
  });

  test(`23: with its log a killed replica knows what it knew (CLAWRDEN_SEED=${seed})`, async () => {
    await using pair = await Pair.make(carrier, under);
    const dice = new Dice(seed);
    disturb(pair.homePlace.root, dice, 40);
    await exchange(pair);
    for (let round = 0; round < (long ? 100 : name === 'static' ? 8 : 3); round++) {
      for (let part = dice.below(4); part >= 0; part--) {
        disturb(pair[dice.pick(['homePlace', 'replicaPlace'] as const)].root, dice, 1 + dice.below(12));
        await exchange(pair);
      }
      // What both changed may be refused, and comes again.
      const { at, dirty, tree } = await pair.replica.session.settle();
      await saved(pair.replicaPlace);
      await pair.again('replica', 'kill');
      expect(await pair.replica.session.settle()).toMatchObject({ remembered: true, at, dirty, tree });
      await exchange(pair);
      expect([round, pair.difference]).toEqual([round, '']);
    }
  });

  test('a log that was cut or damaged counts up to there, and nothing is lost', async () => {
    await using pair = await Pair.make(carrier, under);
    const [home, replica] = [pair.homePlace.root, pair.replicaPlace.root];
    for (const file of ['a', 'b', 'c']) writeFileSync(join(home, file), 'first');
    await exchange(pair);
    const log = logOf(pair.replicaPlace);
    for (const how of ['cut', 'damaged', 'gone'] as const) {
      writeFileSync(join(home, 'a'), `by home, ${how}`);
      writeFileSync(join(home, `new ${how}`), how);
      renameSync(join(home, 'b'), join(home, 'moved'));
      await exchange(pair);
      renameSync(join(home, 'moved'), join(home, 'b'));
      await exchange(pair);
      pair.replica.child.kill('SIGKILL');
      await pair.replica.exited();
      writeFileSync(join(replica, 'c'), `by a tool, ${how}`);
      const bytes = readFileSync(log);
      if (how === 'cut') truncateSync(log, bytes.length - 20);
      else if (how === 'gone') rmSync(log);
      else writeFileSync(log, bytes.fill(0xff, bytes.length - 60, bytes.length - 50));
      await pair.again('replica', 'kill');
      expect(pair.replica).toMatchObject({ first: { remembered: true } });
      await exchange(pair);
      await exchange(pair);
      expect([how, pair.difference]).toEqual([how, '']);
      expect(readFileSync(join(home, 'a'), 'utf8')).toBe(`by home, ${how}`);
      expect(readFileSync(join(home, 'c'), 'utf8')).toBe(`by a tool, ${how}`);
      expect(readFileSync(join(home, `new ${how}`), 'utf8')).toBe(how);
    }
  });
});
