import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarrierState } from '../../../src/carrier-client/carrier-state.ts';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { BetweenSteps } from './between-steps.ts';
import { pairWithSteps } from './carrier-pair.ts';
import { CarrierProcess, carrierBuilds, fileSystems, helloOf, makePlace } from './carrier-process.ts';
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

describe('of a commit that was killed, what a disk fails to read', () => {
  const at = constants.errno.EIO;
  const whole = ['what was deleted', 'what was swapped'];

  /** All that is in a folder, as the texts of its files. */
  const textsIn = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((item) =>
      item.isFile() ? [readFileSync(join(item.parentPath, item.name), 'utf8')] : [],
    );

  test.each([
    ['a grave', { at, what: 'fail', path: 'g0' }],
    ['what was swapped out', { at, what: 'fail', path: 's1' }],
    ['the list', { at, what: 'fail to open', path: 'commit' }],
    ['the stage', { at, what: 'fail to open', path: 'stage' }],
  ] as const)('A-569 P13: is kept with all of the stage: %s', async (_what, step) => {
    using place = makePlace();
    using steps = new BetweenSteps(place.folder);
    unfinishedStage(place);
    steps.set('/', [step]);
    await using next = await CarrierProcess.start(BetweenSteps.carrier, place, {}, steps.wrapper);
    expect(pathsIn(next)).toContain('.clawrden/stage');
    steps.set('/', []);
    await next.session.settle();
    expect(existsSync(join(place.area, 'stage'))).toBe(false);
    expect([...textsIn(place.root), ...textsIn(join(place.area, 'kept'))]).toEqual(
      expect.arrayContaining(whole),
    );
  });

  test('A-569 P13: is in the stage still if it cannot be kept, and comes back once it can be read', async () => {
    using place = makePlace();
    using steps = new BetweenSteps(place.folder);
    unfinishedStage(place);
    steps.set('/', [
      { at, what: 'fail', path: 'g0' },
      { at, what: 'fail to open', path: 'kept' },
    ]);
    await using refused = new CarrierProcess(BetweenSteps.carrier, steps.wrapper);
    await expect(refused.session.ready(helloOf(place))).rejects.toThrow(/^carrier-failed: there is no room/);
    await refused.exited();
    expect(textsIn(join(place.area, 'stage'))).toEqual(expect.arrayContaining(whole));
    steps.set('/', []);
    await using next = await CarrierProcess.start(BetweenSteps.carrier, place, {}, steps.wrapper);
    expect(pathsIn(next)).toEqual(['swapped']);
    expect(readFileSync(join(place.root, 'deleted'), 'utf8')).toBe('what was deleted');
  });
});

test('A-570: what a tool deletes takes few bytes of a disk beside its paths, before any of it is moved', async () => {
  const [files, nameBytes] = [300, 100];
  const { pair, steps } = await pairWithSteps(fileSystems[0]);
  await using _pair = pair;
  const { home, replica, homePlace, replicaPlace } = pair;
  mkdirSync(join(homePlace.root, 'd'));
  for (let file = 0; file < files; file++)
    writeFileSync(join(homePlace.root, 'd', `${file}`.padStart(nameBytes, '0')), '');
  writeFileSync(join(homePlace.root, 'stays'), '');
  await sendOut(home.session, replica.session);
  rmSync(join(replicaPlace.root, 'd'), { recursive: true });
  const { at } = await replica.session.settle();
  await home.session.begin({ version: at });
  await replica.session.changes({ of: 'dirty' }, (frame) => home.session.put(frame));
  await home.session.verify();
  // The first call gives the list its name.
  steps[0]?.set(homePlace.root, [{ at: 1, what: 'kill', path: '' }]);
  await expect(home.session.commit()).rejects.toMatchObject({ code: 'carrier-lost' });
  const { size } = statSync(join(homePlace.area, 'stage/commit'));
  const paths = files * ('d/'.length + nameBytes);
  expect(size).toBeGreaterThan(paths);
  expect(size).toBeLessThan(paths + files * 16);
});
