import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { encodeHello } from '../../../src/carrier-client/hello.ts';
import { encodeFrame, FrameReader } from '../../../src/wire/frames.ts';
import { BetweenSteps } from './between-steps.ts';
import { CarrierProcess, carrierBuilds, helloOf, makePlace, type Place } from './carrier-process.ts';

/** Its clock goes so fast that 5 s are over within a millisecond. */
const hasty = (steps: BetweenSteps) => [...steps.wrapper, `CLAWRDEN_HASTE=${2 ** 20}`];
const [silenceMs, eachMs, waits] = [1000, 200, 8];

/** A disk so slow that what is asked takes longer than a client bears silence. */
const slowly = (place: Place, steps: BetweenSteps) =>
  steps.set(
    place.root,
    Array.from({ length: waits }, (_, index) => ({ at: 5 + 20 * index, what: 'wait', path: `${eachMs}` })),
  );

function fill({ root }: Place, files = 200): void {
  mkdirSync(join(root, 'folder'));
  for (let name = 0; name < files; name++) writeFileSync(join(root, 'folder', `${name}`), `${name}`);
}

test('12: a carrier whose first look takes longer than a client bears silence says that it works, and opens', async () => {
  using place = makePlace();
  using steps = new BetweenSteps(place.folder);
  fill(place);
  slowly(place, steps);
  await using carrier = new CarrierProcess(BetweenSteps.carrier, hasty(steps));
  const session = new CarrierSession(carrier.stream, { silenceMs });
  const began = performance.now();
  expect(await session.ready(helloOf(place))).toMatchObject({ entries: 202 });
  expect(performance.now() - began).toBeGreaterThan(eachMs * waits);
});

test('12: so does one whose exchange takes that long', async () => {
  using here = makePlace();
  using there = makePlace();
  using steps = new BetweenSteps(there.folder);
  fill(here);
  await using home = await CarrierProcess.start(carrierBuilds[1].carrier, here);
  await using replica = new CarrierProcess(BetweenSteps.carrier, hasty(steps));
  const session = new CarrierSession(replica.stream, { silenceMs });
  await session.ready(helloOf(there, { role: 'replica' }));
  slowly(there, steps);
  const began = performance.now();
  expect((await sendOut(home.session, session))?.applied.done).toBeGreaterThan(200);
  expect(performance.now() - began).toBeGreaterThan(eachMs * waits);
});

test.each([
  ['takes a folder out', () => {}, undefined],
  ['empties one', (folder: string) => writeFileSync(join(folder, 'new'), 'new'), ['new']],
] as const)('A-571: so does one whose commit %s that has many files', async (_what, meanwhile, left) => {
  using here = makePlace();
  using there = makePlace();
  using steps = new BetweenSteps(there.folder);
  const folder = join(there.root, 'folder');
  fill(here);
  writeFileSync(join(here.root, 'stays'), '');
  await using home = await CarrierProcess.start(carrierBuilds[1].carrier, here);
  await using replica = new CarrierProcess(BetweenSteps.carrier, hasty(steps));
  const session = new CarrierSession(replica.stream, { silenceMs });
  await session.ready(helloOf(there, { role: 'replica' }));
  await sendOut(home.session, session);
  const { at } = await session.settle();
  rmSync(join(here.root, 'folder'), { recursive: true });
  const { version } = await home.session.settle();
  await session.begin({ version });
  await home.session.changes({ of: 'since', version: at }, (frame) => session.put(frame));
  await session.verify();
  meanwhile(folder);
  slowly(there, steps);
  await session.commit();
  expect(existsSync(folder) ? readdirSync(folder) : undefined).toEqual(left);
});

test('A-571: so does one whose commit keeps much of what both sides changed', async () => {
  using here = makePlace();
  using there = makePlace();
  using steps = new BetweenSteps(here.folder);
  const files = 200;
  fill(here, files);
  await using home = new CarrierProcess(BetweenSteps.carrier, hasty(steps));
  const session = new CarrierSession(home.stream, { silenceMs });
  await session.ready(helloOf(here));
  await using replica = await CarrierProcess.start(carrierBuilds[1].carrier, there, { role: 'replica' });
  await sendOut(session, replica.session);
  for (const { root } of [here, there])
    for (let name = 0; name < files; name++)
      writeFileSync(join(root, 'folder', `${name}`), `changed: ${root}`);
  const { at } = await replica.session.settle();
  await session.begin({ version: at });
  await replica.session.changes({ of: 'dirty' }, (frame) => session.put(frame));
  await session.verify();
  slowly(here, steps);
  expect((await session.commit()).refusedCount).toBeGreaterThanOrEqual(files);
});

test('12: a carrier that stands still says nothing, and its client gives up', async () => {
  using place = makePlace();
  using steps = new BetweenSteps(place.folder);
  fill(place);
  steps.set(place.root, [{ at: 50, what: 'wait', path: '60000' }]);
  await using carrier = new CarrierProcess(BetweenSteps.carrier, hasty(steps));
  const session = new CarrierSession(carrier.stream, { silenceMs, role: 'home' });
  await expect(session.ready(helloOf(place))).rejects.toMatchObject({ code: 'carrier-lost', role: 'home' });
});

test('12: the blocks of one large file count, and nothing is said while nobody asks', async () => {
  using place = makePlace();
  using steps = new BetweenSteps(place.folder);
  writeFileSync(join(place.root, 'large'), Buffer.alloc(64 << 20, 1));
  await using carrier = new CarrierProcess(BetweenSteps.carrier, hasty(steps));
  const reader = new FrameReader();
  const types: number[] = [];
  carrier.stream.on('data', (chunk: Buffer) => types.push(...reader.push(chunk).map(({ type }) => type)));
  carrier.stream.write(encodeFrame(CarrierFrame.hello, encodeHello(helloOf(place))));
  await expect.poll(() => types.at(-1), { timeout: 20_000 }).toBe(CarrierFrame.ready);
  const before = types.length;
  expect(before).toBeGreaterThan(20);
  expect(new Set(types.slice(0, -1))).toEqual(new Set([CarrierFrame.working]));
  writeFileSync(join(place.root, 'large'), Buffer.alloc(64 << 20, 2));
  // That nothing comes has no event: a second is many times what the carrier takes to read the file.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(types).toHaveLength(before);
});
