import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keepBesideHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';

/** What becomes of a folder `d` that has `d/f` and `d/sub/g`. */
const fates: Readonly<Record<string, (d: string) => void>> = {
  stays: () => {},
  gone: (d) => rmSync(d, { recursive: true }),
  'without its file': (d) => rmSync(join(d, 'f')),
  'without its folder': (d) => rmSync(join(d, 'sub'), { recursive: true }),
  'made again': (d) => {
    rmSync(d, { recursive: true });
    mkdirSync(d);
    writeFileSync(join(d, 'new'), 'new');
  },
  'a file': (d) => {
    rmSync(d, { recursive: true });
    writeFileSync(d, 'file');
  },
  'a link': (d) => {
    rmSync(d, { recursive: true });
    symlinkSync('nowhere', d);
  },
};
const names = Object.keys(fates);
const pairs = names.flatMap((there) => names.map((here) => ({ there, here, d: `${there}, ${here}` })));

async function make(carrier: string, under: string): Promise<Pair> {
  const pair = await Pair.make(carrier, under);
  const { root } = pair.homePlace;
  for (const { d } of pairs) {
    mkdirSync(join(root, d, 'sub'), { recursive: true });
    for (const file of ['f', 'sub/g']) writeFileSync(join(root, d, file), d);
  }
  await sendOut(pair.home.session, pair.replica.session);
  return pair;
}

function happen({ homePlace, replicaPlace }: Pair, which: (there: string, here: string) => boolean): void {
  for (const { there, here, d } of pairs.filter((pair) => which(pair.there, pair.here))) {
    fates[there]?.(join(replicaPlace.root, d));
    fates[here]?.(join(homePlace.root, d));
  }
}

/** Also after what it knows was written and read. */
async function expectClean(pair: Pair): Promise<void> {
  expect(pair.difference).toBe('');
  expect(await pair.replica.session.settle()).toMatchObject({ dirty: 0 });
  await pair.again('replica', 'end');
  expect(await pair.replica.session.settle()).toMatchObject({ dirty: 0 });
  expect(await keepBesideHome(pair.home.session, pair.replica.session)).toBeUndefined();
}

describe.each(buildsOrOnly('static'))('what both sides deleted ($name)', ({ carrier, under }) => {
  test('is no difference once a replica was made what home is, whatever else both did', async () => {
    await using pair = await make(carrier, under);
    happen(pair, () => true);
    expect((await pair.replica.session.settle()).dirty).toBeGreaterThan(0);
    await pair.setAside();
    await expectClean(pair);
  });

  test('is no difference once a replica got all that a home of another life has', async () => {
    await using pair = await make(carrier, under);
    await pair.again('home', 'kill');
    const same = ['gone', 'without its file', 'without its folder'];
    happen(pair, (there, here) => there === here && same.includes(there));
    expect((await pair.replica.session.settle()).dirty).toBeGreaterThan(0);
    await sendOut(pair.home.session, pair.replica.session);
    await expectClean(pair);
  });
});
