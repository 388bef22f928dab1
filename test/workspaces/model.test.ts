import { describe, test } from 'vitest';
import { fileSystems } from '../../shim/native/test/carrier-process.ts';
import { Dice } from '../../shim/native/test/random-tree.ts';
import { Model } from './model.ts';
import { Site } from './site.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

// The second file system differs in what it says of its inodes, not in what may happen on it.
const [memory, disk] = fileSystems;
const counts: readonly (readonly [string, number])[] = long
  ? [
      [memory, 10_000],
      [disk, 1000],
    ]
  : [[memory, 200]];

describe.each(counts)('workspaces that follow, on %s', (under: string, operations: number) => {
  test(
    `12: after ${operations} operations on both sides home and replicas are equal, and nothing is lost (CLAWRDEN_SEED=${first})`,
    async () => {
      await using site = new Site(under);
      const dice = new Dice(first);
      const model = new Model(site, dice);
      for (let round = 0; model.done < operations; round++) {
        site.told.length = 0;
        const work = model.rounds[round % model.rounds.length]!;
        await work().catch((error: Error) => {
          error.message = `round ${round}: ${error.message}`;
          throw error;
        });
      }
    },
    long ? 1_800_000 : 60_000,
  );
});
