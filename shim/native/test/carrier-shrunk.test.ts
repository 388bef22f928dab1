import { linkSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { buildsOrOnly, CarrierProcess, helloOf, makePlace } from './carrier-process.ts';

const limits = { ...defaultLimits, file: 10_000 };

test.each(buildsOrOnly('sanitized'))(
  '12: a file of several names that was too large and shrinks comes back under all of them at the next settle ($name)',
  async ({ carrier, under }) => {
    using place = makePlace(under);
    const at = (name: string) => join(place.root, name);
    mkdirSync(at('folder'));
    for (const file of ['log', 'alone', 'large']) writeFileSync(at(file), 'x');
    for (const name of ['other', 'folder/third']) linkSync(at('log'), at(name));
    linkSync(at('large'), at('larger'));
    await using process = new CarrierProcess(carrier);
    const { session } = process;
    const skipped = async () => {
      const { skipped: found, entries } = await session.settle();
      return [entries, ...found.map(({ path }) => path.toString()).toSorted()];
    };
    await session.ready(helloOf(place, { limits }));
    expect(await skipped()).toEqual([8]);
    for (const file of ['log', 'large', 'alone']) truncateSync(at(file), 20_000);
    expect(await skipped()).toEqual([2, 'alone', 'folder/third', 'large', 'larger', 'log', 'other']);
    truncateSync(at('other'), 5);
    expect(await skipped()).toEqual([5, 'alone', 'large', 'larger']);
    // A name that was just made tells of the others, too.
    linkSync(at('large'), at('folder/new'));
    truncateSync(at('folder/new'), 7);
    expect(await skipped()).toEqual([8, 'alone']);
    truncateSync(at('alone'), 1);
    expect(await skipped()).toEqual([9]);
  },
);
