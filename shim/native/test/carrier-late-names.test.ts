import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';

describe.each(buildsOrOnly('static'))(
  'what is written into a replaced file that had another name ($name, $under)',
  ({ carrier, under }) => {
    /** The clock of files goes on. */
    const tick = () => sleep(30);
    const settle = (pair: Pair) => pair.replica.session.settle();
    type End = (pair: Pair, at: (side: 'here' | 'there') => string) => Promise<unknown>;
    const ends: Readonly<Record<string, End>> = {
      'is written and goes': async (_pair, at) => {
        writeFileSync(at('there'), 'tool');
        await tick();
        rmSync(at('there'));
      },
      'is written, is looked at, is written again and goes': async (pair, at) => {
        writeFileSync(at('there'), 'tool');
        await settle(pair);
        writeFileSync(at('there'), 'tool again');
        await tick();
        rmSync(at('there'));
      },
      'home touches and deletes': async (pair, at) => {
        utimesSync(at('here'), 1e9, 1e9);
        await sendOut(pair.home.session, pair.replica.session);
        await settle(pair);
        rmSync(at('here'));
        await sendOut(pair.home.session, pair.replica.session);
      },
    };

    test.each(Object.entries(ends))(
      'A-529 P13: is not late if that name %s, and what is written then is',
      async (name, end) => {
        await using pair = await Pair.make(carrier, under);
        const at = (side: 'here' | 'there') =>
          join((side === 'here' ? pair.homePlace : pair.replicaPlace).root, 'first');
        writeFileSync(at('here'), 'base');
        linkSync(at('here'), join(pair.homePlace.root, 'second'));
        writeFileSync(join(pair.homePlace.root, 'stays'), 'base');
        await sendOut(pair.home.session, pair.replica.session);
        const old = openSync(at('there'), 'r+');
        try {
          rmSync(join(pair.homePlace.root, 'second'));
          writeFileSync(join(pair.homePlace.root, 'second'), 'agent');
          await sendOut(pair.home.session, pair.replica.session);
          expect(readdirSync(join(pair.replicaPlace.area, 'grave'))).toEqual(['0']);
          await settle(pair);
          await end(pair, at);
          await settle(pair);
          expect(pair.replica.session.takeLate()).toEqual({ count: 0, files: [] });
          await tick();
          writeSync(old, 'late', 0);
          await settle(pair);
        } finally {
          closeSync(old);
        }
        const { count, files } = pair.replica.session.takeLate();
        const paths = name.startsWith('home') ? ['first', 'second'] : ['second'];
        expect([count, files.map((file) => file.path.toString()).sort()]).toEqual([paths.length, paths]);
        const kept = join(pair.replicaPlace.area, 'kept', files[0]?.kept ?? '');
        expect(readFileSync(kept, 'utf8').slice(0, 4)).toBe('late');
      },
    );

    test('A-529 P13: is late behind the end of that name', async () => {
      await using pair = await Pair.make(carrier, under);
      const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
      writeFileSync(join(here, 'first'), 'base');
      linkSync(join(here, 'first'), join(here, 'second'));
      await sendOut(pair.home.session, pair.replica.session);
      const old = openSync(join(there, 'first'), 'r+');
      rmSync(join(here, 'second'));
      writeFileSync(join(here, 'second'), 'agent');
      await sendOut(pair.home.session, pair.replica.session);
      rmSync(join(there, 'first'));
      writeSync(old, 'late', 0);
      closeSync(old);
      const { late } = await settle(pair);
      expect(late.map(({ path }) => path.toString())).toEqual(['second']);
    });

    test('A-529 P13: is told under each name that was taken out', async () => {
      await using pair = await Pair.make(carrier, under);
      const here = pair.homePlace.root;
      writeFileSync(join(here, 'stays'), 'base');
      writeFileSync(join(here, 'first'), 'base');
      linkSync(join(here, 'first'), join(here, 'second'));
      await sendOut(pair.home.session, pair.replica.session);
      const old = openSync(join(pair.replicaPlace.root, 'first'), 'r+');
      for (const name of ['first', 'second']) rmSync(join(here, name));
      await sendOut(pair.home.session, pair.replica.session);
      writeSync(old, 'late', 0);
      closeSync(old);
      const { late } = await settle(pair);
      expect(late.map(({ path }) => path.toString()).sort()).toEqual(['first', 'second']);
      expect((await settle(pair)).late).toEqual([]);
    });
  },
);
