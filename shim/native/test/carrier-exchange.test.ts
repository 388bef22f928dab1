import { describe, expect, test } from 'vitest';
import { bringHome, type Exchanged, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { carrierBuilds, fileSystems } from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** What was refused, to be read. */
const told = (exchanged: Exchanged | undefined): string[] =>
  (exchanged?.applied.refused ?? []).map(({ why, path }) => `${why} ${path.toString()}`);

const everywhere = fileSystems.flatMap((under) => carrierBuilds.map((build) => ({ ...build, under })));
/** Each build and each file system once; all of them where there is time. */
const places = long ? everywhere : [0, 3].map((place) => everywhere[place]!);

describe.each(places)('two carriers ($name, $under)', ({ name, carrier, under }) => {
  const rounds = long ? 100 : name === 'static' ? 12 : 5;

  test(
    `agree by tree id and by rsync after any changes on either side (${rounds} rounds, CLAWRDEN_SEED=${first})`,
    async () => {
      await using pair = await Pair.make(carrier, under);
      const { homePlace, replicaPlace, home, replica } = pair;
      const dice = new Dice(first);
      for (let round = 0; round < rounds; round++) {
        disturb(homePlace.root, dice, 1 + dice.below(25));
        const out = await sendOut(home.session, replica.session);
        expect(told(out)).toEqual([]);
        expect([round, 'out', pair.difference]).toEqual([round, 'out', '']);
        disturb(replicaPlace.root, dice, 1 + dice.below(25));
        const back = await bringHome(home.session, replica.session);
        expect(told(back?.exchanged)).toEqual([]);
        expect([round, 'home', pair.difference]).toEqual([round, 'home', '']);
        expect(back?.state.dirty ?? 0).toBe(0);
        const [here, there] = [await home.session.settle(), await replica.session.settle()];
        expect(here.tree).toBe(there.tree);
        expect(there.at).toEqual(here.version);
      }
    },
    long ? 900_000 : 60_000,
  );

  test(
    `agree again after both sides changed at once, whatever was refused (${rounds} rounds, CLAWRDEN_SEED=${first})`,
    async () => {
      await using pair = await Pair.make(carrier, under);
      const { homePlace, replicaPlace, home, replica } = pair;
      const dice = new Dice(first);
      for (let round = 0; round < rounds; round++) {
        disturb(homePlace.root, dice, dice.below(12));
        disturb(replicaPlace.root, dice, dice.below(12));
        if (dice.below(3) === 0) await sendOut(home.session, replica.session);
        // What was refused on one side is told by the other; three times is more than any change needs.
        for (let times = 0; times < 3 && (times === 0 || pair.difference !== ''); times++) {
          await bringHome(home.session, replica.session);
          await sendOut(home.session, replica.session);
        }
        expect([round, pair.difference]).toEqual([round, '']);
        expect((await home.session.settle()).tree).toBe((await replica.session.settle()).tree);
      }
    },
    long ? 900_000 : 60_000,
  );
});
