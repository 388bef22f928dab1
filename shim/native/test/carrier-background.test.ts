import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { BetweenSteps } from './between-steps.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, fileSystems, makePlace } from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** The kernel says nothing of this at `f`: the name that was written through came and went unseen. */
function writeUnseen(root: string): void {
  linkSync(join(root, 'f'), join(root, 'came'));
  appendFileSync(join(root, 'came'), 'unseen');
  rmSync(join(root, 'came'));
}

describe.each(buildsOrOnly('static'))('a look in the background ($name, $under)', ({ carrier, under }) => {
  const rounds = long ? 60 : 8;

  test(`finds nothing after any changes (${rounds} rounds, CLAWRDEN_SEED=${first})`, async () => {
    using place = makePlace(under);
    await using index = await CarrierProcess.start(carrier, place);
    const dice = new Dice(first);
    for (let round = 0; round < rounds; round++) {
      disturb(place.root, dice, 1 + dice.below(25));
      const { tree } = await index.session.settle();
      const looked = await index.session.settle({ check: true });
      expect([round, looked]).toMatchObject([round, { tree, looks: round + 1, missed: 0 }]);
    }
  });

  // What a call has done is seen before it is told; on a disk the call may wait in between.
  test.each(fileSystems)('counts nothing of what somebody does meanwhile (in %s)', async (where) => {
    using place = makePlace(where);
    for (let i = 0; i < 60; i++) mkdirSync(join(place.root, `d${i}`));
    await using index = await CarrierProcess.start(carrier, place);
    const script = `process.stdout.write('x'); for (let i = 0; ; i++) { const d = process.argv[1] + '/d' + i % 60;
      fs.writeFileSync(d + '/f', String(i)); if (i % 3 === 0) { fs.rmSync(d, { recursive: true }); fs.mkdirSync(d); } }`;
    const writer = spawn(process.execPath, ['-e', script, place.root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(writer.stdout, 'data');
    let state = await index.session.settle({ check: true });
    for (let i = 0; i < 20; i++) state = await index.session.settle({ check: true });
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect(state).toMatchObject({ looks: 21, missed: 0 });
  });

  test('counts and mends what nobody told, and the replica gets it', async () => {
    await using pair = await Pair.make(carrier, under);
    writeFileSync(join(pair.homePlace.root, 'f'), 'seen');
    await sendOut(pair.home.session, pair.replica.session);
    writeUnseen(pair.homePlace.root);
    await sendOut(pair.home.session, pair.replica.session);
    expect(readFileSync(join(pair.replicaPlace.root, 'f'), 'utf8')).toBe('seen');
    expect(await pair.home.session.settle({ check: true })).toMatchObject({ looks: 1, missed: 1 });
    await sendOut(pair.home.session, pair.replica.session);
    expect(readFileSync(join(pair.replicaPlace.root, 'f'), 'utf8')).toBe('seenunseen');
    expect(pair.difference).toBe('');
  });
});

test('the look comes by itself when nothing is asked, and again', async () => {
  using place = makePlace(fileSystems[0]);
  using steps = new BetweenSteps(place.folder);
  writeFileSync(join(place.root, 'f'), 'seen');
  // Ten minutes take 0.3 s.
  const wrapper = [...steps.wrapper, 'CLAWRDEN_HASTE=2000'];
  await using carrier = await CarrierProcess.start(BetweenSteps.carrier, place, {}, wrapper);
  writeUnseen(place.root);
  let state = carrier.first;
  for (let i = 0; i < 100 && state.looks < 2; i++) {
    await sleep(100);
    state = await carrier.session.settle();
  }
  expect(state).toMatchObject({ missed: 1 });
  expect(state.looks).toBeGreaterThan(1);
});
