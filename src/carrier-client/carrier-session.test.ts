import { type Duplex, duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { encodeFrame } from '../wire/frames.ts';
import { CarrierFrame } from './carrier-frame.ts';
import { CarrierSession } from './carrier-session.ts';
import { FetchAhead } from './fetch-ahead.ts';
import { text, u16 } from './payload.ts';
import type { SessionOptions } from './session-options.ts';

/** A session, and the stream at whose other end a carrier would be. */
function start(options: SessionOptions = {}): { readonly session: CarrierSession; readonly carrier: Duplex } {
  const [ours, carrier] = duplexPair();
  carrier.resume();
  return { session: new CarrierSession(ours, options), carrier };
}

test.each([
  ['is too short', CarrierFrame.state, Buffer.alloc(3)],
  ['is too long', CarrierFrame.state, Buffer.alloc(4096)],
])('P20: an answer of a carrier that %s ends its session, with a reason', async (_what, type, payload) => {
  const { session, carrier } = start();
  carrier.write(encodeFrame(type, payload));
  await expect(session.settle()).rejects.toMatchObject({ name: 'CarrierError', code: 'bad-answer' });
  await expect(session.settle()).rejects.toMatchObject({ code: 'carrier-lost' });
});

test('P20: a frame over the limit ends the session, and the reason says so', async () => {
  const { session, carrier } = start();
  const header = Buffer.alloc(5);
  header.writeUInt8(CarrierFrame.state, 0);
  header.writeUInt32BE(2 ** 31, 1);
  carrier.write(header);
  await expect(session.settle()).rejects.toMatchObject({
    code: 'bad-answer',
    message: expect.stringContaining('over the limit'),
  });
  await expect(session.settle()).rejects.toMatchObject({ code: 'carrier-lost' });
});

test('P20: a carrier that asks without end is not listened to', async () => {
  const { session, carrier } = start();
  const asking = encodeFrame(CarrierFrame.want, Buffer.alloc(1024 * 1024 - 1));
  const most = 400;
  let asked = 0;
  const ask = (): void => {
    while (asked < most && !carrier.destroyed) {
      asked += 1;
      if (!carrier.write(asking)) return void carrier.once('drain', ask);
    }
  };
  ask();
  await expect(session.verify()).rejects.toMatchObject({ code: 'bad-answer' });
  expect(asked).toBeLessThan(200);
});

test('A-314 P20: a carrier that asks for more than it was sent is not listened to, however slowly it asks', async () => {
  for (const [sent, want] of [
    [[200, 3000], 150],
    [[200, 200], 3000],
    [[], 20],
  ] as const) {
    const { session, carrier } = start();
    await session.begin({ version: { epoch: 0n, seq: 0n } });
    for (const bytes of sent) await session.put({ type: CarrierFrame.entry, payload: Buffer.alloc(bytes) });
    const verified = session.verify();
    const asked = encodeFrame(CarrierFrame.want, Buffer.alloc(want));
    // It says no more: it need not be waited for.
    carrier.write(Buffer.concat([asked, asked, asked]));
    await expect(verified).rejects.toMatchObject({ code: 'bad-answer', isOver: true });
  }
});

test('P20: a carrier that works without end is not waited for', async () => {
  const { session, carrier } = start();
  const working = encodeFrame(CarrierFrame.working, Buffer.alloc(0));
  const settling = session.settle();
  carrier.write(Buffer.concat(Array.from({ length: 100_000 }, () => working)));
  await expect(settling).rejects.toMatchObject({
    code: 'carrier-lost',
    message: expect.stringContaining('without an end'),
  });
});

test('P23: what is put to a carrier that is gone is refused at once, with the last that it said', async () => {
  const [ours, carrier] = duplexPair();
  carrier.resume();
  const session = new CarrierSession(ours);
  carrier.write(encodeFrame(CarrierFrame.refused, Buffer.from('bad-entry: it has no name')));
  ours.end();
  await expect(
    (async () => session.put({ type: CarrierFrame.entry, payload: Buffer.alloc(10) }))(),
  ).rejects.toMatchObject({ code: 'carrier-lost', message: expect.stringContaining('it has no name') });
});

const empty = (type: number, count: number) =>
  Buffer.concat(Array.from({ length: count }, () => encodeFrame(type, Buffer.alloc(0))));
const most = { entries: 1_000, bytes: 256_000 };

test('A-340 P20: while a carrier’s frames are handed on, however small they are, others have their turns', async () => {
  const { session, carrier } = start();
  let [handedOn, turns] = [0, 0];
  const count = () => {
    turns += 1;
    if (handedOn < 12_000) setImmediate(count);
  };
  const changing = session.changes({ of: 'all' }, () => {
    if (handedOn === 0) setImmediate(count);
    handedOn += 1;
    return undefined;
  });
  carrier.write(empty(CarrierFrame.entry, 13_000));
  await expect.poll(() => handedOn).toBe(13_000);
  expect(turns).toBeGreaterThan(50);
  session.destroy();
  await expect(changing).rejects.toMatchObject({ code: 'carrier-lost' });
});

test('A-340 P20: nor do frames that wait in memory take all turns when they are handed on', async () => {
  const { session, carrier } = start();
  const ahead = new FetchAhead(session, { of: 'dirty' });
  carrier.write(empty(CarrierFrame.entry, 20_000));
  await ahead.ready;
  let [handedOn, seen] = [0, 0];
  setImmediate(() => {
    seen = handedOn;
  });
  const taken = ahead.into(() => {
    handedOn += 1;
    return undefined;
  });
  await expect.poll(() => handedOn).toBe(20_000);
  expect(seen).toBeLessThan(1_000);
  session.destroy();
  await expect(taken).rejects.toMatchObject({ code: 'carrier-lost' });
});

test.each([
  ['entries', CarrierFrame.entry, 1_001],
  ['chunks', CarrierFrame.chunk, 1_001],
])(
  'A-340 P20: a replica that sends more empty %s than a workspace may have broke the rules',
  async (_what, type, count) => {
    const { session, carrier } = start({ role: 'replica' });
    carrier.write(empty(type, count));
    await expect(session.changes({ of: 'dirty' }, () => undefined, most)).rejects.toMatchObject({
      ...{ code: 'bad-answer', role: 'replica', isOver: true },
      text: expect.stringContaining('larger than a workspace may be'),
    });
  },
);

test('A-340: a home that has more than a workspace may have goes on, and the exchange ends with that', async () => {
  const { session, carrier } = start({ role: 'home' });
  const changing = session.changes({ of: 'all' }, () => undefined, most);
  carrier.write(empty(CarrierFrame.chunk, 2_000));
  // Cut short by the frame that asks it to.
  const done = Buffer.alloc(16 + 32 + 8);
  const state = Buffer.concat([
    Buffer.of(1, 0),
    Buffer.alloc(16 + 32 + 16 + 16 + 8 + 2 + 4 + 2 + 4 + 2 + 4 + 8),
  ]);
  carrier.write(encodeFrame(CarrierFrame.done, done));
  carrier.write(encodeFrame(CarrierFrame.state, state));
  await expect(changing).rejects.toMatchObject({ code: 'workspace-limit', role: 'home', isOver: false });
  expect(session.idle).toBe(true);
});

test('A-340 P20: one that then does not end its answer is not read for ever', async () => {
  const { session, carrier } = start({ role: 'home' });
  const changing = session.changes({ of: 'all' }, () => undefined, most);
  carrier.write(empty(CarrierFrame.chunk, 2_000 + (32 * 1024 * 1024) / 256));
  await expect(changing).rejects.toMatchObject({ code: 'workspace-limit', role: 'home' });
  expect(session.idle).toBe(false);
});

/** What a replica says of its tree: that these paths change. */
function stateWith(unstable: readonly Buffer[]): Buffer {
  const head = Buffer.concat([Buffer.of(1, 0), Buffer.alloc(16 + 32 + 16 + 16 + 8)]);
  return Buffer.concat([
    head,
    u16(unstable.length),
    ...unstable.map(text),
    Buffer.alloc(4 + 2 + 4 + 2 + 4 + 8),
  ]);
}

test('A-561 P20: a path that is longer than any is no path: people would be told of it', async () => {
  const longest = Buffer.alloc(4095, 1);
  const { session, carrier } = start({ role: 'replica' });
  carrier.write(encodeFrame(CarrierFrame.state, stateWith([longest])));
  expect(await session.settle()).toMatchObject({ unstable: [longest] });
  carrier.write(encodeFrame(CarrierFrame.state, stateWith([Buffer.alloc(4096, 1)])));
  await expect(session.settle()).rejects.toMatchObject({ code: 'bad-answer', role: 'replica' });
});
