import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import type { Applied, BeginOptions, ChangesQuery } from '../../../src/carrier-client/exchange-frames.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, type Place } from './carrier-process.ts';

/** A new folder with a small file and a large one, which has a name more in it and one elsewhere. */
function makeTree({ root }: Place): void {
  mkdirSync(join(root, 'd', 'in'), { recursive: true });
  writeFileSync(join(root, 'd', 'in', 'large'), randomBytes(2 ** 21));
  for (const name of ['d/name', 'e']) linkSync(join(root, 'd', 'in', 'large'), join(root, name));
  writeFileSync(join(root, 'd', 'small'), 'small');
}

/** An exchange in which no byte comes that is asked for, as of a file that goes on changing. */
async function withoutBytes(
  from: CarrierSession,
  to: CarrierSession,
  query: ChangesQuery,
  begin: BeginOptions,
): Promise<{ readonly wants: number; readonly applied: Applied }> {
  await to.begin(begin);
  await from.changes(query, (frame) => to.put(frame));
  const { wants } = await to.verify();
  await to.verify();
  return { wants: wants.length, applied: await to.commit() };
}

const told = ({ refused }: Applied) => refused.map(({ why, path }) => `${why} ${path.toString()}`).sort();
const large = ['unstable d/in/large', 'unstable d/name', 'unstable e'];

describe.each(buildsOrOnly('sanitized'))(
  'a large file whose bytes do not come ($name, $under)',
  ({ carrier, under }) => {
    test('A-377 P13: is not at home, under none of its names, and comes later without a conflict', async () => {
      await using pair = await Pair.make(carrier, under);
      const { home, replica, replicaPlace } = pair;
      await sendOut(home.session, replica.session);
      makeTree(replicaPlace);
      const { at } = await replica.session.settle();
      const torn = await withoutBytes(replica.session, home.session, { of: 'dirty' }, { version: at });
      expect([torn.wants, told(torn.applied)]).toEqual([1, large]);
      const { version, refused } = torn.applied;
      await replica.session.acknowledge(
        version,
        refused.map(({ path }) => path),
      );
      expect((await home.session.settle()).entries).toBe(4);
      const back = await bringHome(home.session, replica.session);
      expect([back?.exchanged.applied.refused, pair.difference]).toEqual([[], '']);
    });

    test('A-377 P13: nor is it in a replica, which has nothing then that home has not', async () => {
      await using pair = await Pair.make(carrier, under);
      const { home, replica, homePlace } = pair;
      makeTree(homePlace);
      const { version } = await home.session.settle();
      const begin = { version, whole: true };
      const torn = await withoutBytes(home.session, replica.session, { of: 'all', bytes: false }, begin);
      expect(told(torn.applied)).toEqual([...large.slice(0, 2), 'unstable d/small', large[2]]);
      expect(await replica.session.settle()).toMatchObject({ dirty: 0, entries: 3 });
      const again = await sendOut(home.session, replica.session);
      expect([again?.applied.refused, pair.difference]).toEqual([[], '']);
    });

    test('A-377 P13: nor is it in what is kept of a folder that home has a file for', async () => {
      await using pair = await Pair.make(carrier, under);
      const { home, replica, homePlace, replicaPlace } = pair;
      await sendOut(home.session, replica.session);
      writeFileSync(join(homePlace.root, 'd'), 'home');
      makeTree(replicaPlace);
      const { at } = await replica.session.settle();
      const { applied } = await withoutBytes(replica.session, home.session, { of: 'dirty' }, { version: at });
      expect(told(applied)).toEqual(['conflict d', 'conflict d/in', 'conflict d/small', ...large]);
      const kept = readdirSync(join(homePlace.area, 'kept'), { recursive: true, withFileTypes: true });
      const files = kept
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
      expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['small']);
    });
  },
);
