import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { followAll } from '../../../src/carrier-client/follow.ts';
import { BetweenSteps } from './between-steps.ts';
import { Pair } from './carrier-pair.ts';
import {
  buildsOrOnly,
  CarrierProcess,
  carrierBuilds,
  fileSystems,
  helloOf,
  makePlace,
} from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** What `promise` is within that time; `undefined` if it is nothing yet. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return await Promise.race([promise, sleep(ms).then(() => undefined)]);
}

describe.each(buildsOrOnly('sanitized'))(
  'a carrier that is followed ($name, $under)',
  ({ carrier, under }) => {
    test('tells of a change at once, of the next after the interval, and of no change never', async () => {
      using place = makePlace(under);
      await using followed = await CarrierProcess.start(carrier, place);
      const { session } = followed;
      const stop = new AbortController();
      const change = () => writeFileSync(join(place.root, 'f'), String(performance.now()));
      change();
      expect(await session.changed(1000, stop.signal)).toBe(true);
      const told = performance.now();
      const next = session.changed(1000, stop.signal);
      change();
      expect(await within(600, next)).toBeUndefined();
      expect(await next).toBe(true);
      expect(performance.now() - told).toBeGreaterThan(900);
      const none = session.changed(50, stop.signal);
      expect(await within(300, none)).toBeUndefined();
      stop.abort();
      expect(await none).toBe(false);
      expect(await session.changed(50, stop.signal)).toBe(false);
      expect((await session.settle()).entries).toBe(2);
    });

    test('tells of what changed between the last answer and the request', async () => {
      using place = makePlace(under);
      await using followed = await CarrierProcess.start(carrier, place);
      const { signal } = new AbortController();
      for (let i = 0; i < 5; i++) {
        await followed.session.settle();
        writeFileSync(join(place.root, 'f'), String(i));
        expect(await followed.session.changed(1, signal)).toBe(true);
      }
    });

    test('both trees follow each other while somebody writes in both, and an exchange is no change', async () => {
      await using pair = await Pair.make(carrier, under);
      const { homePlace, replicaPlace, home, replica } = pair;
      const dice = new Dice(first);
      const stop = new AbortController();
      let exchanges = 0;
      const following = (async () => {
        for await (const _ of followAll([home.session, replica.session], 20, stop.signal)) {
          exchanges++;
          await bringHome(home.session, replica.session);
          await sendOut(home.session, replica.session);
        }
      })();
      for (let round = 0; round < 8; round++) {
        disturb(homePlace.root, dice, 4);
        disturb(replicaPlace.root, dice, 4);
        await sleep(30);
      }
      for (let i = 0; i < 200 && pair.difference !== ''; i++) await sleep(50);
      expect(pair.difference).toBe('');
      await sleep(200);
      const quiet = exchanges;
      await sleep(300);
      expect(exchanges).toBe(quiet);
      stop.abort();
      await following;
      expect((await home.session.settle()).tree).toBe((await replica.session.settle()).tree);
    });

    test('that is told of nothing but follow(0) until it answers refuses the rest', async () => {
      using place = makePlace(under);
      await using followed = await CarrierProcess.start(carrier, place);
      const { signal } = new AbortController();
      const waits = followed.session.changed(1000, signal);
      await followed.session.begin({ version: { epoch: 0n, seq: 0n } });
      await expect(waits).rejects.toThrow('bad-frame: the client waits for what changes');
    });

    test('of a root that is gone it tells that something changed', async () => {
      using place = makePlace(under);
      await using followed = await CarrierProcess.start(carrier, place);
      const { signal } = new AbortController();
      writeFileSync(join(place.root, 'f'), 'x');
      await followed.session.settle();
      renameSync(place.root, `${place.root}.gone`);
      mkdirSync(place.root);
      writeFileSync(join(`${place.root}.gone`, 'f'), 'y');
      expect(await followed.session.changed(10, signal)).toBe(true);
      renameSync(place.root, `${place.root}.other`);
      renameSync(`${place.root}.gone`, place.root);
    });

    test('tells of changes without watches, too', async () => {
      using place = makePlace(under);
      for (let i = 0; i < 30; i++) mkdirSync(join(place.root, `d${i}`));
      const script = 'echo 10 > /proc/sys/user/max_inotify_watches && exec "$0"';
      const wrapper = ['unshare', '--user', '--map-root-user', 'sh', '-c', script];
      await using followed = new CarrierProcess(carrier, wrapper);
      expect(await followed.session.ready(helloOf(place, { role: 'replica' }))).toMatchObject({
        scans: true,
      });
      const stop = new AbortController();
      const waits = followed.session.changed(100, stop.signal);
      expect(await within(300, waits)).toBeUndefined();
      writeFileSync(join(place.root, 'd29', 'new'), 'x');
      expect(await waits).toBe(true);
    });
  },
);

test('a carrier that is followed for long says that it lives, and is still followed', async () => {
  using place = makePlace(fileSystems[0]);
  using steps = new BetweenSteps(place.folder);
  await using followed = await CarrierProcess.start(BetweenSteps.carrier, place, {}, [
    ...steps.wrapper,
    'CLAWRDEN_HASTE=300',
  ]);
  let answers = 0;
  const push = followed.stream.push.bind(followed.stream);
  followed.stream.push = (chunk: Buffer) => {
    answers++;
    return push(chunk);
  };
  const waits = followed.session.changed(1, new AbortController().signal);
  await within(1000, waits);
  expect(answers).toBeGreaterThan(3);
  writeFileSync(join(place.root, 'f'), 'x');
  expect(await waits).toBe(true);
});

test('a client that ends while it follows ends the carrier', async () => {
  using place = makePlace(fileSystems[0]);
  await using followed = await CarrierProcess.start(carrierBuilds[0].carrier, place);
  const waits = followed.session.changed(1000, new AbortController().signal);
  followed.session.end();
  await expect(waits).rejects.toThrow('carrier-lost');
  expect(await followed.exited()).toBe(0);
});
