import { execFileSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  statfsSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildsOrOnly, CarrierProcess, makePlace } from './carrier-process.ts';

const mebibyte = 1024 ** 2;
/** Files have their blocks as soon as they are asked for. */
const under = '/var/tmp';

describe.each(buildsOrOnly('sanitized'))('what a replica takes on its disk ($name)', (build) => {
  /** As on a Docker host: the carrier's own files are beside the tree, and both in the volume. */
  const start = ({ root, folder: area }: ReturnType<typeof makePlace>, over = {}) =>
    CarrierProcess.start(build.carrier, { root, area }, { role: 'replica', ...over });

  test('A-548 P20: the room is what the file system says, and nothing is counted that was not asked for', async () => {
    using place = makePlace(under);
    await using carrier = await start(place);
    const disk = statfsSync(place.root);
    const told = await carrier.session.measure();
    expect(told.disk).toBe(disk.blocks * disk.bsize);
    expect(Math.abs(told.room - disk.bavail * disk.bsize)).toBeLessThan(512 * mebibyte);
    expect([told.files, told.bytes, told.entries, told.whole]).toEqual([disk.files, 0, 0, true]);
    expect(told.freeFiles).toBeGreaterThan(0);
  });

  test('A-548 P20: what is too large, excluded or has a carrier’s name counts as what it takes', async () => {
    using place = makePlace(under);
    const limits = { entries: 1000, bytes: mebibyte, file: mebibyte, depth: 4 };
    await using carrier = await start(place, { limits, excludes: ['node_modules'] });
    const took = async () => (await carrier.session.measure({ all: true })).bytes;
    const [before, at] = [await took(), (...names: string[]) => join(place.root, ...names)];
    const grewBy = async (bytes: number) => {
      const grown = (await took()) - before;
      expect([grown >= bytes, grown < bytes + mebibyte]).toEqual([true, true]);
    };
    writeFileSync(at('large'), Buffer.alloc(3 * mebibyte, 1));
    await grewBy(3 * mebibyte);
    for (const folder of ['node_modules', '.clawrden', 'a/b/c/d/e/f']) {
      mkdirSync(at(folder), { recursive: true });
      writeFileSync(at(folder, 'file'), Buffer.alloc(2 * mebibyte, 1));
    }
    await grewBy(9 * mebibyte);
    // Another name takes nothing, nor does a hole.
    linkSync(at('large'), at('again'));
    writeFileSync(at('hole'), '');
    truncateSync(at('hole'), 1000 * mebibyte);
    await grewBy(9 * mebibyte);
    // Blocks behind the end of an empty file.
    writeFileSync(at('behind'), '');
    execFileSync('fallocate', ['--keep-size', '--length', String(5 * mebibyte), at('behind')]);
    await grewBy(14 * mebibyte);
    const open = openSync(at('large'), 'r');
    for (const name of ['large', 'again']) unlinkSync(at(name));
    await grewBy(11 * mebibyte);
    closeSync(open);
    expect((await carrier.session.settle()).skippedCount).toBeGreaterThan(0);
  });

  test('A-619 P20: of what is carried no hole counts, and no block behind an end', async () => {
    using place = makePlace(under);
    await using carrier = await start(place, { excludes: ['cache'] });
    const at = (...names: string[]) => join(place.root, ...names);
    mkdirSync(at('cache'));
    for (const name of ['plain', 'cache/excluded']) writeFileSync(at(name), Buffer.alloc(3 * mebibyte, 1));
    for (const name of ['hole', 'behind']) writeFileSync(at(name), '');
    truncateSync(at('hole'), 50 * mebibyte);
    execFileSync('fallocate', ['--keep-size', '--length', String(5 * mebibyte), at('behind')]);
    const { entries } = await carrier.session.settle();
    const told = await carrier.session.measure({ all: true });
    expect(told).toMatchObject({ carriedBytes: 3 * mebibyte, carriedEntries: entries });
    expect(told.bytes).toBeGreaterThanOrEqual(11 * mebibyte);
  });

  test('A-548 P20: a tree that is too deep to be counted is told as one that is more', async () => {
    using place = makePlace('/dev/shm');
    await using carrier = await start(place);
    const dive = 'for (1 .. 1100) { mkdir "d"; chdir "d" } open(my $f, ">", "f"); print $f "x" x 1_000_000';
    execFileSync('perl', ['-e', dive], { cwd: place.root });
    const told = await carrier.session.measure({ all: true });
    expect([told.whole, told.entries > 990, told.bytes < mebibyte]).toEqual([false, true, true]);
    expect((await carrier.session.measure()).whole).toBe(true);
    // Node's own removal is not up to it.
    execFileSync('rm', ['-rf', 'd'], { cwd: place.root });
  });

  test('A-548: a home is not asked', async () => {
    using place = makePlace();
    await using home = await CarrierProcess.start(build.carrier, place);
    await expect(home.session.measure()).rejects.toThrow('bad-frame: measure');
  });
});
