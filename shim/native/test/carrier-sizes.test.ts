import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { defaultLimits, type Hello } from '../../../src/carrier-client/hello.ts';
import { text, u8, u32, u64 } from '../../../src/carrier-client/payload.ts';
import {
  CarrierProcess,
  carrierBuilds,
  fileSystems,
  helloOf,
  makePlace,
  type Place,
} from './carrier-process.ts';

const none = Buffer.alloc(32);

/** A file, or a folder, without bytes. */
function entry(name: string, type: 1 | 2, attribute?: Buffer): Buffer {
  const attributes = attribute
    ? Buffer.concat([text('user.a'), u32(attribute.length), attribute])
    : Buffer.alloc(0);
  return Buffer.concat([
    ...[u8(1), u8(0), u8(type), u32(0o755), u32(0), u32(0), u64(1), u64(0), u64(0), none],
    ...[u8(0), none, text(name), text(''), u32(attributes.length), attributes, u32(0)],
  ]);
}

async function home(
  carrier: string,
  place: Place,
  over: Partial<Hello> = {},
  wrapper: readonly string[] = [],
) {
  const started = new CarrierProcess(carrier, wrapper, { role: 'home' });
  await started.session.ready(helloOf(place, over));
  return started;
}

async function put(session: CarrierSession, entries: Iterable<Buffer>): Promise<void> {
  await session.begin({ version: { epoch: 0n, seq: 0n } });
  for (const payload of entries) await session.put({ type: CarrierFrame.entry, payload });
}

function* many(count: number, make: (name: string) => Buffer): Generator<Buffer> {
  for (let name = 0; name < count; name++) yield make(`many ${name}`);
}

/** The three blocks of a file, sixty times. */
function repeated(want: Buffer): Buffer[] {
  const head = want.subarray(0, 6 + want.readUInt16BE(4));
  const blocks = Array.from({ length: 180 }, (_, block) => u32(block % 3));
  return [Buffer.concat([head, u32(blocks.length), ...blocks])];
}

/** The carrier takes the next exchange. */
async function goesOn({ session, child }: CarrierProcess, { root }: Place): Promise<void> {
  await put(session, [entry('good', 2)]);
  expect((await session.verify()).checked).toMatchObject({ conflicts: 0, unstable: 0 });
  await session.commit();
  expect(readdirSync(root)).toContain('good');
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
}

describe.each(carrierBuilds)('what another carrier sends too much of ($name)', ({ name, carrier }) => {
  test('A-105: what is said of entries is bounded, and the carrier goes on', async () => {
    using place = makePlace(fileSystems[0]);
    await using here = await home(carrier, place, { limits: { ...defaultLimits, entries: 200 } });
    const attribute = randomBytes(60_000);
    await put(
      here.session,
      many(300, (path) => entry(path, 1, attribute)),
    );
    await expect(here.session.verify()).rejects.toMatchObject({ code: 'workspace-limit', isOver: false });
    await goesOn(here, place);
  });

  // The sanitizers need all memory that there is.
  test.runIf(name === 'static')(
    'A-105: memory that is short for what comes fails that exchange',
    async () => {
      using place = makePlace(fileSystems[0]);
      await using here = await home(carrier, place, {}, ['prlimit', `--data=${24 * 2 ** 20}`]);
      await put(
        here.session,
        many(80_000, (path) => entry(path, 1)),
      );
      await expect(here.session.verify()).rejects.toMatchObject({ text: 'no memory', isOver: false });
      await goesOn(here, place);
    },
  );

  test('A-105: an answer that nobody takes is cut short, and the carrier is asked again', async () => {
    using place = makePlace(fileSystems[0]);
    for (let file = 0; file < 80; file++) writeFileSync(join(place.root, `${file}`), randomBytes(1_000_000));
    await using here = await home(carrier, place);
    const gone = () => Promise.reject(new Error('the other carrier is gone'));
    await expect(here.session.changes({ of: 'all' }, gone)).rejects.toThrow('is gone');
    expect(here.session.idle).toBe(true);
    expect(here.session.movedBytes).toBeLessThan(20_000_000);
    expect((await here.session.settle()).entries).toBe(81);
    await goesOn(here, place);
  });

  test.each([
    ['in one want', repeated],
    ['in many', (want: Buffer) => Array.from({ length: 60 }, () => want)],
  ])(
    'A-105: a replica that wants the same blocks again and again, %s, gets no more than there is',
    async (_how, more) => {
      using places = new DisposableStack();
      const [place, there] = [places.use(makePlace(fileSystems[0])), places.use(makePlace(fileSystems[0]))];
      writeFileSync(join(place.root, 'large'), randomBytes(3 * 2 ** 20));
      await using here = await home(carrier, place);
      await using replica = new CarrierProcess(carrier, [], { role: 'replica' });
      await replica.session.ready(helloOf(there, { role: 'replica' }));
      // What it has is not known to it, so it asks.
      await sendOut(here.session, replica.session);
      writeFileSync(join(place.root, 'large'), randomBytes(3 * 2 ** 20));
      const verify = replica.session.verify.bind(replica.session);
      replica.session.verify = async () => {
        const verified = await verify();
        return { ...verified, wants: verified.wants.flatMap(more) };
      };
      await expect(sendOut(here.session, replica.session)).rejects.toMatchObject({
        code: 'bad-want',
        role: 'replica',
      });
      expect((await here.session.settle()).entries).toBe(2);
      await goesOn(here, place);
    },
  );
});
