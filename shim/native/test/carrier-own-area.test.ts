import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CarrierError } from '../../../src/carrier-client/carrier-error.ts';
import { restoreKept } from '../../../src/carrier-client/exchange.ts';
import { text, u8, u32, u64 } from '../../../src/carrier-client/payload.ts';
import { BetweenSteps } from './between-steps.ts';
import { buildsOrOnly, CarrierProcess, makePlace, type Place } from './carrier-process.ts';

const mebibyte = 2 ** 20;
/** As in saved-format.h and record.h. */
const magicBytes = 17;
const numbersBytes = 64;
const factsBytes = 101 + 3 * 8;
const idBytes = 32;
const hasBlocks = 4;

const sha256 = (...parts: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** What a carrier of this place wrote when it ended. */
async function savedIndex(carrier: string, place: Place): Promise<Buffer> {
  await using home = await CarrierProcess.start(carrier, place);
  home.session.end();
  await home.exited();
  rmSync(join(place.area, 'index.log'), { force: true });
  return readFileSync(join(place.area, 'index'));
}

/** A log of one part, which says of one path that nothing is there. */
function logOf(index: Buffer, path: string): Buffer {
  const numbers = index.subarray(magicBytes, magicBytes + numbersBytes);
  const part = Buffer.concat([numbers, u8(1), text(Buffer.from(path)), Buffer.alloc(factsBytes), u8(0)]);
  return Buffer.concat([u64(part.length), part, sha256(index.subarray(-idBytes), part)]);
}

describe.each(buildsOrOnly('sanitized'))(
  'what an agent writes into the folder of its carrier ($name, $under)',
  ({ carrier, under }) => {
    test('A-381 P20: an index that has no blocks of a large file is not believed', async () => {
      using place = makePlace(under);
      writeFileSync(join(place.root, 'large'), randomBytes(2 * mebibyte));
      const index = await savedIndex(carrier, place);
      const name = index.indexOf('large');
      index.writeUInt8(index.readUInt8(name - 2) & ~hasBlocks, name - 2);
      const blocks = name + 'large'.length + factsBytes;
      const made = Buffer.concat([index.subarray(0, blocks), index.subarray(blocks + 2 * idBytes, -idBytes)]);
      writeFileSync(join(place.area, 'index'), Buffer.concat([made, sha256(made)]));
      await using home = await CarrierProcess.start(carrier, place);
      const want = Buffer.concat([u32(0), text(Buffer.from('large')), u32(1), u32(1)]);
      expect(await home.session.wanted(want, () => undefined)).toMatchObject({ unstable: 0 });
      expect(home.first.remembered).toBe(false);
    });

    test('A-381 P20: nor is a log with a path that is deeper than paths are', async () => {
      using place = makePlace(under);
      execFileSync('mkfifo', [join(place.root, 'fifo')]);
      const index = await savedIndex(carrier, place);
      const depth = (names: number) => Array.from({ length: names }, () => 'd').join('/');
      for (const [names, isBelieved] of [
        [256, true],
        [257, false],
        [2048, false],
      ] as const) {
        writeFileSync(join(place.area, 'index'), index);
        writeFileSync(join(place.area, 'index.log'), logOf(index, depth(names)));
        await using home = await CarrierProcess.start(carrier, place);
        expect([names, home.first.remembered, home.first.skippedCount]).toEqual([names, isBelieved, 1]);
        home.session.end();
        await home.exited();
      }
    });

    test.each(['index.new', 'state.new'])(
      'A-381 P20: a FIFO in the place of its %s holds it up nowhere',
      async (name) => {
        using place = makePlace(under);
        await using home = await CarrierProcess.start(carrier, place);
        writeFileSync(join(place.root, 'f'), 'x');
        rmSync(join(place.area, name), { force: true });
        execFileSync('mkfifo', [join(place.area, name)]);
        for (const bytes of ['y', 'z']) {
          writeFileSync(join(place.root, 'f'), bytes);
          expect((await home.session.settle()).entries).toBe(2);
        }
        home.session.end();
        expect(await home.exited()).toBe(0);
      },
      30_000,
    );
  },
);

test('A-381 P20: of a kept file whose name is another file meanwhile one of both comes back', async () => {
  using place = makePlace();
  using steps = new BetweenSteps(place.folder);
  const folder = `kept/${BigInt(Date.now()) * 1_000_000n}`;
  const kept = (name: string) => join(place.area, folder, name);
  await using home = await CarrierProcess.start(BetweenSteps.carrier, place, {}, steps.wrapper);
  mkdirSync(join(place.area, folder), { recursive: true });
  const files = { small: 'small', large: 'large'.repeat(mebibyte) };
  for (let call = 0; call < 16; call++) {
    writeFileSync(kept('0'), files.small);
    writeFileSync(kept('1'), files.large);
    steps.set(place.area, [{ at: call, what: 'swap', path: `${folder}/0`, to: `${folder}/1` }]);
    const failed = await restoreKept(home.session, `${folder.slice(5)}/0`, Buffer.from('f')).catch(
      (error: unknown) => error,
    );
    steps.set(place.area, []);
    expect([call, home.session.alive]).toEqual([call, true]);
    if (failed instanceof CarrierError) continue;
    const restored = readFileSync(join(place.root, 'f'), 'utf8');
    expect([call, Object.values(files).includes(restored)]).toEqual([call, true]);
  }
});
