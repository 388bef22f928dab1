import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import type { Applied } from '../../../src/carrier-client/exchange-frames.ts';
import { text, u32 } from '../../../src/carrier-client/payload.ts';
import { BetweenSteps } from './between-steps.ts';
import { pairWithSteps } from './carrier-pair.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace, type Place } from './carrier-process.ts';

const blocks = 2;
const largeOf = ({ root }: Place) => join(root, 'large');
const makeLarge = (place: Place) => writeFileSync(largeOf(place), randomBytes(blocks * 2 ** 20));
const told = ({ refused }: Applied) => refused.map(({ why, path }) => `${why} ${path.toString()}`);

/** Before the carrier's next call. */
const lease = (steps: BetweenSteps | undefined, { root }: Place) =>
  steps?.set(root, [{ at: 0, what: 'lease', path: 'large' }]);
const giveBack = (steps: BetweenSteps | undefined, { root }: Place) =>
  steps?.set(root, [{ at: 0, what: 'give back', path: 'large' }]);

describe('a large file that cannot be opened in the moment of a look', () => {
  test.each(['replica', 'home'] as const)(
    'A-403 P20: of a %s fails no exchange, and comes once it can be opened',
    async (of) => {
      const { pair, steps } = await pairWithSteps(fileSystems[0]);
      await using _pair = pair;
      const { home, replica, homePlace, replicaPlace } = pair;
      const [its, own, other] =
        of === 'home' ? [steps[0], homePlace, replicaPlace] : [steps[1], replicaPlace, homePlace];
      const exchange = async () =>
        of === 'home'
          ? sendOut(home.session, replica.session)
          : (await bringHome(home.session, replica.session))?.exchanged;
      makeLarge(homePlace);
      await sendOut(home.session, replica.session);
      const before = readFileSync(largeOf(other));

      makeLarge(own);
      writeFileSync(join(own.root, 'small'), 'small');
      lease(its, own);
      const torn = await exchange();
      expect(torn && told(torn.applied)).toEqual(['unstable large']);
      expect(readFileSync(join(other.root, 'small'), 'utf8')).toBe('small');
      expect(readFileSync(largeOf(other))).toEqual(before);
      expect((await pair[of].session.settle()).unstable.map(String)).toEqual(['large']);

      giveBack(its, own);
      expect((await exchange())?.applied.refused).toEqual([]);
      expect(pair.difference).toBe('');
    },
  );

  test('A-403 P20: has no bytes for a carrier that wants some, and its index is believed later', async () => {
    using place = makePlace();
    using steps = new BetweenSteps(place.folder);
    {
      await using home = await CarrierProcess.start(BetweenSteps.carrier, place, {}, steps.wrapper);
      makeLarge(place);
      lease(steps, place);
      expect((await home.session.settle()).entries).toBe(2);
      giveBack(steps, place);
      for (let block = 0; block <= blocks; block++) {
        const want = Buffer.concat([u32(0), text(Buffer.from('large')), u32(1), u32(block)]);
        expect(await home.session.wanted(want, () => undefined)).toMatchObject({ unstable: 1 });
      }
      home.session.end();
      expect(await home.exited()).toBe(0);
    }
    await using again = await CarrierProcess.start(carrierBuilds[1].carrier, place);
    expect(again.first).toMatchObject({ remembered: true, entries: 2, unstable: [] });
  });
});
