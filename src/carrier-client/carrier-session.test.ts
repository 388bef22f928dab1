import { type Duplex, duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { encodeFrame } from '../wire/frames.ts';
import { CarrierFrame } from './carrier-frame.ts';
import { CarrierSession } from './carrier-session.ts';

/** A session, and the stream at whose other end a carrier would be. */
function start(): { readonly session: CarrierSession; readonly carrier: Duplex } {
  const [ours, carrier] = duplexPair();
  carrier.resume();
  return { session: new CarrierSession(ours), carrier };
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
