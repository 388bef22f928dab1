import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CarrierProcess, carrierBuilds, helloOf, makePlace } from '../../shim/native/test/carrier-process.ts';
import { bringHome, sendOut } from '../../src/carrier-client/exchange.ts';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import type { HostileHow } from './hostile-replica.ts';
import { hostileReplica } from './site.ts';

const [{ carrier: binary }] = carrierBuilds;
const limits = { ...defaultLimits, entries: 5_000, bytes: 2 ** 20 };

/** Two carriers, one of which somebody took over; and how often others had a turn of the loop while `work` went on. */
async function start(how: HostileHow, role: 'home' | 'replica') {
  const place = makePlace();
  writeFileSync(join(place.root, 'file'), 'x');
  const hostile = new CarrierProcess(how, hostileReplica, { role });
  const honest = await CarrierProcess.start(binary, place, { role: role === 'home' ? 'replica' : 'home' });
  await hostile.session.ready(helloOf(place, { role }));
  return {
    ...{ hostile, honest },
    [Symbol.asyncDispose]: async () => {
      await hostile[Symbol.asyncDispose]();
      await honest[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

async function longestTurnMs(work: Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, performance.now(), false];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work.catch(() => {});
  isOver = true;
  return longest;
}

test.each<HostileHow>(['empty entries', 'empty chunks'])(
  'A-340 P20: a home that sends %s without an end is heard so far as a workspace may be, others have turns, and the replica goes on',
  async (how) => {
    await using sides = await start(how, 'home');
    const exchange = sendOut(sides.hostile.session, sides.honest.session, { limits });
    const longest = longestTurnMs(exchange);
    await expect(exchange).rejects.toMatchObject({
      code: 'workspace-limit',
      text: expect.stringContaining('larger than a workspace may be'),
    });
    expect(await longest).toBeLessThan(1_000);
    expect(sides.hostile.session.idle).toBe(false);
    expect(await sides.honest.session.settle()).toMatchObject({ entries: 2 });
  },
);

test('A-340 P20: a replica that sends empty chunks without an end broke the rules, and home goes on', async () => {
  await using sides = await start('empty chunks', 'replica');
  await expect(bringHome(sides.honest.session, sides.hostile.session, { limits })).rejects.toMatchObject({
    ...{ code: 'bad-answer', role: 'replica' },
    text: expect.stringContaining('larger than a workspace may be'),
  });
  expect(await sides.honest.session.settle()).toMatchObject({ entries: 2 });
});
