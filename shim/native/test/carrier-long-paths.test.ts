import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { Pair } from './carrier-pair.ts';
import { carrierBuilds, fileSystems } from './carrier-process.ts';

const count = 100;
const folder = Array.from({ length: 15 }, () => 'd'.repeat(250)).join('/');

/** Paths of 4,000 bytes. */
const paths = (letter: string, length = count): readonly string[] =>
  Array.from({ length }, (_, n) => `${folder}/${`${letter}${n}`.padEnd(235, 'x')}`);

test.each(carrierBuilds)(
  'A-312 P20: a state that has much to tell of long paths fits into its frame ($name)',
  async ({ carrier }) => {
    const limits = { ...defaultLimits, file: 1000 };
    await using pair = await Pair.make(carrier, fileSystems[0], { limits });
    const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
    const { session } = pair.replica;
    mkdirSync(join(here, folder), { recursive: true });
    for (const path of paths('late')) writeFileSync(join(here, path), 'base');
    await sendOut(pair.home.session, session);
    const old = paths('late').map((path) => openSync(join(there, path), 'r+'));
    for (const path of paths('late')) writeFileSync(join(here, path), 'replaced');
    await sendOut(pair.home.session, session);
    for (const path of paths('unstable')) writeFileSync(join(there, path), 'tool');
    for (const path of paths('skipped')) {
      writeFileSync(join(there, path), '');
      truncateSync(join(there, path), 2000);
    }
    const { at } = await session.settle();
    await session.changes({ of: 'dirty' }, () => undefined);
    for (const descriptor of old) {
      writeSync(descriptor, 'written late', 0);
      closeSync(descriptor);
    }
    // It looks at what is written late when nobody asks.
    await wait(1500);
    const state = await session.acknowledge(
      at,
      paths('unstable').map((path) => Buffer.from(path)),
    );
    expect([state.skippedCount, state.lateCount]).toEqual([count, count]);
    for (const told of [state.unstable, state.skipped, state.late]) {
      expect(told.length).toBeGreaterThan(70);
      expect(told.length).toBeLessThan(count);
    }
    expect((await session.settle()).skippedCount).toBe(count);
  },
);

test('A-482 P13: of more than may be told, what was taken out at home is named before what did not come in', async () => {
  await using pair = await Pair.make(carrierBuilds[0].carrier, fileSystems[0]);
  const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
  mkdirSync(join(here, folder), { recursive: true });
  await sendOut(pair.home.session, pair.replica.session);
  const met = paths('met', 140);
  for (const path of met) {
    mkdirSync(join(here, path));
    writeFileSync(join(there, path), 'tool');
  }
  for (const root of [here, there]) writeFileSync(join(root, 'f'), root);
  const brought = await bringHome(pair.home.session, pair.replica.session, { conflicts: 'keep-tool' });
  const { refused, refusedCount } = brought?.exchanged.applied ?? {};
  expect(refusedCount).toBe(met.length + 1);
  expect(refused?.length).toBeLessThan(met.length);
  expect(refused).toContainEqual(expect.objectContaining({ why: 'replaced', path: Buffer.from('f') }));
});
