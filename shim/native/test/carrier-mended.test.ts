import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarrierState } from '../../../src/carrier-client/carrier-state.ts';
import { CarrierProcess, carrierBuilds, makePlace } from './carrier-process.ts';
import { unfinishedStage } from './unfinished-stage.ts';

const monthAgo = Date.now() - 31 * 24 * 3_600_000;

function pathsIn({ first }: { readonly first: CarrierState }): string[] {
  return first.late.map(({ path }) => path.toString()).sort();
}

describe.each(carrierBuilds)('what a start finds of a commit that was killed ($name)', ({ carrier }) => {
  test('A-569 P13: is in its place again, or kept, and not too old by then, whenever that was', async () => {
    using place = makePlace();
    const folder = join(place.area, 'kept', unfinishedStage(place, monthAgo));
    const kept = join(folder, '3');
    // The second one is told, and was too old before it was.
    for (let round = 0; round < 2; round++) {
      await using next = await CarrierProcess.start(carrier, place);
      expect(pathsIn(next)).toEqual(['swapped']);
      expect(readFileSync(kept, 'utf8')).toBe('what was swapped');
      expect(readFileSync(join(place.root, 'deleted'), 'utf8')).toBe('what was deleted');
      utimesSync(folder, monthAgo / 1000, monthAgo / 1000);
    }
    await using heard = await CarrierProcess.start(carrier, place);
    await heard.session.settle();
    await heard[Symbol.asyncDispose]();
    // It stays as long as what is kept now.
    await using later = await CarrierProcess.start(carrier, place);
    expect([pathsIn(later), existsSync(kept)]).toEqual([[], true]);
    await later[Symbol.asyncDispose]();
    utimesSync(folder, monthAgo / 1000, monthAgo / 1000);
    await using last = await CarrierProcess.start(carrier, place);
    expect([pathsIn(last), existsSync(folder)]).toEqual([[], false]);
  });
});
