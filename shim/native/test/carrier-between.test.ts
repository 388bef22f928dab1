import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { BetweenSteps, type TimedStep } from './between-steps.ts';
import { Pair } from './carrier-pair.ts';
import { CarrierProcess, fileSystems, makePlace, type Place } from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** What a carrier knows must be what a look at everything finds. */
async function expectAllIsKnown(session: CarrierSession, what: unknown): Promise<void> {
  const known = await session.settle();
  const found = await session.settle({ all: true });
  expect([what, found.tree, found.version]).toEqual([what, known.tree, known.version]);
}

describe.each(fileSystems)('folders that are renamed between two system calls (%s)', (under) => {
  test('away and back: what was written in them is seen, then and later', async () => {
    using place = makePlace(under);
    using steps = new BetweenSteps(place.folder);
    const at = (path: string) => join(place.root, path);
    mkdirSync(at('d/in'), { recursive: true });
    await using carrier = await CarrierProcess.start(BetweenSteps.carrier, place, {}, steps.wrapper);
    let most = 0;
    for (let away = 0; away <= most; away++)
      for (let back = away; back <= most + 1; back++) {
        for (const path of ['d/f', 'd/in/f', `d/in/new${away}`]) appendFileSync(at(path), 'x');
        steps.set(place.root, [
          { at: away, what: 'rename', path: 'd', to: 'e' },
          { at: back, what: 'rename', path: 'e', to: 'd' },
        ]);
        await carrier.session.settle();
        most = Math.max(most, steps.calls);
        steps.set(place.root, []);
        if (existsSync(at('e'))) renameSync(at('e'), at('d'));
        await expectAllIsKnown(carrier.session, { away, back });
        for (const path of ['d/f', 'd/in/f']) appendFileSync(at(path), 'x');
        await expectAllIsKnown(carrier.session, { away, back, later: true });
      }
    expect(most).toBeGreaterThan(10);
  });
});

/** Renames of folders at random calls; most of them away and back. */
function randomSteps(place: Place, dice: Dice, most: number): TimedStep[] {
  const folders = foldersOf(place.root);
  const steps: TimedStep[] = [];
  for (let pairs = 1 + dice.below(4); pairs > 0 && folders.length > 0; pairs--) {
    const path = dice.pick(folders);
    const to = dice.below(3) === 0 ? join(dice.pick(['', ...folders]), 'aside') : `${path}.aside`;
    const at = dice.below(most);
    steps.push({ at, what: dice.pick(['rename', 'rename', 'rename', 'swap'] as const), path, to });
    const then = dice.below(5);
    if (then < 4) steps.push({ at: at + dice.below(12), what: 'rename', path: to, to: path });
    else steps.push({ at: at + dice.below(4), what: 'make', path });
  }
  return steps;
}

function foldersOf(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map((item) => join(folder, item.name))
    .filter((path) => join(root, path).length < 180)
    .flatMap((path) => [path, ...foldersOf(root, path)]);
}

async function sameTree({ home, replica }: Pair): Promise<boolean> {
  return (await home.session.settle()).tree === (await replica.session.settle()).tree;
}

describe.each(long ? fileSystems : fileSystems.slice(0, 1))('exchanges in a rename storm (%s)', (under) => {
  const rounds = long ? 1500 : 60;

  test(
    `agree once it is over, and know all of their trees (${rounds} rounds, CLAWRDEN_SEED=${first})`,
    async () => {
      const all = new Map<Place, BetweenSteps>();
      await using pair = await Pair.make(BetweenSteps.carrier, under, {}, (place) => {
        const steps = new BetweenSteps(place.folder);
        all.set(place, steps);
        return steps.wrapper;
      });
      const { homePlace, replicaPlace, home, replica } = pair;
      const dice = new Dice(first);
      for (const name of ['one', 'two', 'three']) writeFileSync(join(homePlace.root, name), name);
      await sendOut(home.session, replica.session);
      let most = 40;
      for (let round = 0; round < rounds; round++) {
        disturb(homePlace.root, dice, dice.below(8));
        disturb(replicaPlace.root, dice, dice.below(8));
        const place = dice.pick([homePlace, replicaPlace]);
        const steps = randomSteps(place, dice, most);
        all.get(place)?.set(place.root, steps);
        const way = dice.pick([bringHome, sendOut]);
        await way(home.session, replica.session);
        most = Math.min(400, Math.max(40, all.get(place)?.calls ?? 0));
        all.get(place)?.set(place.root, []);
        for (let times = 0; times < 3 && (times === 0 || !(await sameTree(pair))); times++) {
          await bringHome(home.session, replica.session);
          await sendOut(home.session, replica.session);
        }
        for (const { session } of [home, replica]) await expectAllIsKnown(session, round);
        expect([round, steps, await sameTree(pair)]).toEqual([round, steps, true]);
        if (round % 20 === 19) expect([round, steps, pair.difference]).toEqual([round, steps, '']);
      }
      for (const steps of all.values()) steps[Symbol.dispose]();
    },
    long ? 900_000 : 60_000,
  );
});
