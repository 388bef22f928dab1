import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { Pair } from './carrier-pair.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace } from './carrier-process.ts';

const mebibyte = 2 ** 20;
const [{ carrier }] = carrierBuilds;
const [under] = fileSystems;

/** Of a carrier's /proc files, in bytes or kB as they are there. */
function figure({ child }: CarrierProcess, file: 'status' | 'limits', line: RegExp): number {
  return Number(line.exec(readFileSync(`/proc/${child.pid}/${file}`, 'utf8'))?.[1]);
}

/** A file of holes with so many names, each in this folder. */
function manyNames(root: string, size: number, names: number): void {
  const first = join(root, 'name-0');
  writeFileSync(first, '');
  truncateSync(first, size);
  for (let name = 1; name < names; name++) linkSync(first, join(root, `name-${name}`));
}

describe('what an agent makes large at no cost', () => {
  // Of each name of 1 GiB 1,024 ids of blocks would be known: 64 MiB of all.
  const names = 2000;
  const limits = { ...defaultLimits, bytes: 1.5 * 1024 * mebibyte };

  test('A-310 P20: names of a large file without bytes take no memory, and the other files travel', async () => {
    await using pair = await Pair.make(carrier, under, { limits });
    const here = (path: string) => join(pair.homePlace.root, path);
    manyNames(pair.homePlace.root, 1024 * mebibyte, names);
    mkdirSync(here('folder'));
    for (const path of ['a', 'folder/z']) writeFileSync(here(path), 'travels');
    writeFileSync(here('larger'), Buffer.alloc(2 * mebibyte, 'x'));
    await sendOut(pair.home.session, pair.replica.session);
    const state = await pair.home.session.settle();
    expect(state).toMatchObject({ full: true, entries: 6, skippedCount: names - 1 });
    const there = (path: string) => readFileSync(join(pair.replicaPlace.root, path), 'utf8');
    expect([there('a'), there('folder/z'), there('larger').length]).toEqual([
      ...['travels', 'travels'],
      2 * mebibyte,
    ]);
    expect(readdirSync(pair.replicaPlace.root)).toHaveLength(4);
    expect(figure(pair.home, 'status', /VmHWM:\s+(\d+) kB/u)).toBeLessThan(16 * 1024);
    // As soon as there is room, what had none is carried.
    truncateSync(here('name-0'), 1000);
    await sendOut(pair.home.session, pair.replica.session);
    expect([pair.difference, (await pair.home.session.settle()).skippedCount]).toEqual(['', 0]);
  });

  test('A-310 P20: nor do names that were small when they were found', async () => {
    using place = makePlace(under);
    await using home = await CarrierProcess.start(carrier, place, { limits });
    manyNames(place.root, 1000, names);
    expect(await home.session.settle()).toMatchObject({ entries: names + 1, skippedCount: 0 });
    truncateSync(join(place.root, 'name-7'), 1024 * mebibyte);
    expect(await home.session.settle()).toMatchObject({ entries: 2, skippedCount: names - 1 });
    expect(figure(home, 'status', /VmHWM:\s+(\d+) kB/u)).toBeLessThan(16 * 1024);
    rmSync(join(place.root, 'name-7'));
    truncateSync(join(place.root, 'name-8'), 1000);
    expect(await home.session.settle()).toMatchObject({ entries: names, skippedCount: 0 });
  });

  test('A-310 P20: of what is not carried only so many names are kept, and files are found among them', async () => {
    using place = makePlace(under);
    for (const folder of ['one', 'two', 'three']) {
      mkdirSync(join(place.root, folder));
      manyNames(join(place.root, folder), 2000, 40_000);
      writeFileSync(join(place.root, folder, 'small'), 'x');
    }
    await using home = await CarrierProcess.start(carrier, place, { limits: { ...limits, file: 1000 } });
    expect(home.first).toMatchObject({ entries: 7, skippedCount: 100_000 });
  });

  test('A-310 P20: a carrier may take as much memory as its limits need, and no more', async () => {
    const most = async (more: { readonly entries: number }) => {
      using place = makePlace(under);
      await using home = await CarrierProcess.start(carrier, place, {
        limits: { ...defaultLimits, ...more },
      });
      return figure(home, 'limits', /Max data size\s+(\d+)/u);
    };
    // By the entries, and 64 bytes for each MiB of 10 GiB.
    expect(await most({ entries: 200_000 })).toBe(192 * mebibyte + 200_000 * 1024 + 10 * 1024 * 64);
    expect(await most({ entries: 1000 })).toBe(192 * mebibyte + 1000 * 1024 + 10 * 1024 * 64);
  });
});
