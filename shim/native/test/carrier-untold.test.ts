import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import type { CarrierState } from '../../../src/carrier-client/carrier-state.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { encodeFrame } from '../../../src/wire/frames.ts';
import { BetweenSteps } from './between-steps.ts';
import { Pair } from './carrier-pair.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace, type Place } from './carrier-process.ts';

/** Both sides changed `f`. */
async function changeBoth({ home, replica, homePlace, replicaPlace }: Pair): Promise<void> {
  const [here, there] = [join(homePlace.root, 'f'), join(replicaPlace.root, 'f')];
  writeFileSync(here, 'base');
  await sendOut(home.session, replica.session);
  writeFileSync(here, 'agent');
  writeFileSync(there, 'tool');
}

/** Home commits the tool's version, and nobody reads what it says of that; then it ends. */
async function commitUnread({ home, replica }: Pair, isGone = false): Promise<void> {
  const { at } = await replica.session.settle();
  await home.session.begin({ version: at, theirs: true });
  await replica.session.changes({ of: 'dirty' }, (frame) => home.session.put(frame));
  await home.session.verify();
  home.child.stdin?.end(encodeFrame(CarrierFrame.commit));
  if (isGone) home.child.stdout?.destroy();
  await home.exited();
}

/** By path what the carrier at home told as late, and has in kept/. */
function toldBy({ home, homePlace }: Pair): string[] {
  const { count, files } = home.session.takeLate();
  expect(count).toBe(files.length);
  return files.map(
    ({ path, kept }) => `${path.toString()}: ${readFileSync(join(homePlace.area, 'kept', kept), 'utf8')}`,
  );
}

function tornStage({ area }: Place): void {
  mkdirSync(join(area, 'stage'), { recursive: true, mode: 0o700 });
  for (const file of ['g5', 'commit']) writeFileSync(join(area, 'stage', file), file);
}

function pathsIn({ first }: { readonly first: CarrierState }): string[] {
  return first.late.map(({ path }) => path.toString());
}

describe.each(carrierBuilds)('what a carrier keeps, and nobody hears of ($name)', ({ carrier }) => {
  test.each([
    ['does not read', false],
    ['is gone', true],
  ])(
    'A-568 P13: what a commit replaced is told by the next carrier if the client %s',
    async (_how, isGone) => {
      await using pair = await Pair.make(carrier, fileSystems[0]);
      await changeBoth(pair);
      await commitUnread(pair, isGone);
      expect(readFileSync(join(pair.homePlace.root, 'f'), 'utf8')).toBe('tool');
      await pair.again('home', 'kill');
      expect(toldBy(pair)).toEqual(['f: agent']);
    },
  );

  test('A-568 P13: it is told at each start until a client that has read it asks for something', async () => {
    await using pair = await Pair.make(carrier, fileSystems[0]);
    await changeBoth(pair);
    await commitUnread(pair);
    for (const how of ['kill', 'end', 'kill'] as const) {
      await pair.again('home', how);
      expect(toldBy(pair)).toEqual(['f: agent']);
    }
    await pair.home.session.settle();
    await pair.again('home', 'kill');
    expect(toldBy(pair)).toEqual([]);
  });

  test('A-568: what was told is told no more, once its client goes on', async () => {
    await using pair = await Pair.make(carrier, fileSystems[0]);
    await changeBoth(pair);
    const back = await bringHome(pair.home.session, pair.replica.session, { conflicts: 'keep-tool' });
    expect(back?.exchanged.applied.refused).toMatchObject([{ why: 'replaced' }]);
    await pair.home.session.settle();
    await pair.again('home', 'end');
    expect(toldBy(pair)).toEqual([]);
  });

  test('A-568 P13: a stage that was kept in whole is told until somebody hears of it', async () => {
    using place = makePlace();
    tornStage(place);
    for (let round = 0; round < 2; round++) {
      await using next = await CarrierProcess.start(carrier, place);
      expect(pathsIn(next)).toEqual(['.clawrden/stage']);
    }
    await using heard = await CarrierProcess.start(carrier, place);
    await heard.session.settle();
    await heard[Symbol.asyncDispose]();
    await using last = await CarrierProcess.start(carrier, place);
    expect(pathsIn(last)).toEqual([]);
  });
});

/** A start on a torn stage that is killed right before its call `at`, and what the next one tells. */
async function toldBehindKill(at: number): Promise<{ readonly calls: number; readonly told: string[] }> {
  using place = makePlace();
  using steps = new BetweenSteps(place.folder);
  const start = () => CarrierProcess.start(BetweenSteps.carrier, place, {}, steps.wrapper);
  tornStage(place);
  steps.set(place.root, [{ at, what: 'kill', path: '' }]);
  const killed = await start().catch(() => undefined);
  await killed?.[Symbol.asyncDispose]();
  const { calls } = steps;
  steps.set(place.root, []);
  await using next = await start();
  return { calls, told: pathsIn(next) };
}

test('A-568 P13: so is one whose start was killed, wherever that was', async () => {
  const { calls } = await toldBehindKill(2 ** 31);
  expect(calls).toBeGreaterThan(10);
  for (let at = 0; at < calls; at++)
    expect([at, (await toldBehindKill(at)).told]).toEqual([at, ['.clawrden/stage']]);
}, 120_000);
