import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);
/** As many epochs of earlier runs a home remembers. */
const formerMost = 64;

/** Ends home's carrier and keeps a copy of its tree and area; the returned function puts that in their place. */
async function copyOfHome(pair: Pair): Promise<() => Promise<void>> {
  const { folder, root, area } = pair.homePlace;
  const copy = `${folder}-copy`;
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  await pair.again('home', 'end');
  pair.home.session.end();
  await pair.home.exited();
  rmSync(copy, { recursive: true, force: true });
  execFileSync('cp', ['-a', folder, copy]);
  await pair.again('home', 'end');
  return async () => {
    pair.home.session.end();
    await pair.home.exited();
    for (const place of [root, area]) rmSync(place, { recursive: true });
    execFileSync('cp', ['-a', join(copy, 'base'), join(copy, 'area'), folder]);
    await pair.again('home', 'end');
  };
}

/** As many versions of home, each of a file more or of one that is written again. */
async function makeVersions(pair: Pair, name: string, count: number): Promise<void> {
  for (let version = 0; version < count; version++) {
    writeFileSync(join(pair.homePlace.root, 'same'), `${name} ${version}`);
    writeFileSync(join(pair.homePlace.root, `${name}-${version}`), name);
    await pair.home.session.settle();
  }
}

describe.each(buildsOrOnly('static'))('epochs of a home ($name, $under)', ({ carrier, under }) => {
  const rounds = long ? 40 : 6;

  test(`A-581: a replica is what a home is that was restored from a copy (${rounds}, CLAWRDEN_SEED=${first})`, async () => {
    await using pair = await Pair.make(carrier, under);
    const dice = new Dice(first);
    for (let round = 0; round < rounds; round++) {
      disturb(pair.homePlace.root, dice, 5);
      await sendOut(pair.home.session, pair.replica.session);
      const restore = await copyOfHome(pair);
      const lost = 1 + dice.below(4);
      await makeVersions(pair, `lost-${round}`, lost);
      await sendOut(pair.home.session, pair.replica.session);
      await restore();
      // Fewer, as many and more: each number has been another version.
      await makeVersions(pair, `new-${round}`, lost + dice.below(3) - 1);
      await sendOut(pair.home.session, pair.replica.session);
      expect([round, pair.difference]).toEqual([round, '']);
    }
  }, 120_000);

  test('A-581: after an end a replica gets what changed since, as many runs ago as are remembered', async () => {
    await using pair = await Pair.make(carrier, under);
    mkdirSync(join(pair.homePlace.root, 'folder'));
    for (let file = 0; file < 50; file++) writeFileSync(join(pair.homePlace.root, 'folder', `${file}`), 'x');
    await sendOut(pair.home.session, pair.replica.session);
    const entriesSent = async () => (await sendOut(pair.home.session, pair.replica.session))?.sent.entries;
    const runs = async (count: number) => {
      for (let run = 0; run < count; run++) {
        await pair.again('home', 'end');
        await makeVersions(pair, 'same', 1);
      }
    };
    await pair.again('home', 'end');
    expect(await entriesSent()).toBeUndefined();
    await runs(1);
    expect(await entriesSent()).toBeLessThan(5);
    await runs(formerMost);
    expect(await entriesSent()).toBeLessThan(5);
    await runs(formerMost + 1);
    expect(await entriesSent()).toBeGreaterThan(50);
    expect(pair.difference).toBe('');
    await runs(1);
    expect(await entriesSent()).toBeLessThan(5);
  }, 60_000);
});
