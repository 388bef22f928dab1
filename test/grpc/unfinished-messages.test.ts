import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import { nameLimits } from '../../gateway/grpc/front/peer-share.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, relay, startTestGateway, type TestGateway } from './gateway.ts';
import { endOf, framed, openRawCalls } from './raw-calls.ts';
import {
  callFields,
  connectRaw,
  frameTypes,
  headerBlock,
  preface,
  type RawPeer,
  rawCall,
  rawFrame,
  settings,
  u32,
} from './raw-http2.ts';

const mebibyte = 1024 * 1024;
const enhanceYourCalm = 11;
const execute = '/clawrden.v1.ExecutionService/Execute';

/** Reads the frames that come, as they come. */
function watchFrames({ socket }: RawPeer) {
  const seen = { resets: [] as number[], credit: 65_535 };
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const type = rest.readUInt8(3);
      if (type === frameTypes.rstStream) seen.resets.push(rest.readUInt32BE(9));
      // The bytes that the connection's window has taken so far.
      if (type === frameTypes.windowUpdate && rest.readUInt32BE(5) === 0) seen.credit += rest.readUInt32BE(9);
      rest = rest.subarray(9 + rest.readUIntBE(0, 3));
    }
  });
  return seen;
}

/** A peer that opens calls with its token and sends content, as far as windows let it. */
async function connectFiller(gateway: TestGateway) {
  const peer = await connectRaw({ port: gateway.port }, await gateway.identity(admin));
  const seen = watchFrames(peer);
  peer.send(preface, settings(), rawCall(1, '/clawrden.v1.RelayService/Token'));
  await expect.poll(() => peer.received().includes('eyJ')).toBe(true);
  // Without it each call has a small window.
  peer.send(rawFrame({ type: frameTypes.settings, flags: 1 }));
  const jwt = /eyJ[\w.-]+/.exec(peer.received().toString('latin1'))?.[0] ?? '';
  let stream = 1;
  let sent = 100;
  return {
    ...{ peer, seen },
    open: (path: string) => {
      stream += 2;
      const payload = headerBlock(callFields(path, ['authorization', `Bearer ${jwt}`]));
      peer.send(rawFrame({ type: frameTypes.headers, flags: 4, stream, payload }));
    },
    /** For the call that was opened last. */
    data: async (payload: Buffer) => {
      sent += payload.length;
      while (seen.credit < sent && !peer.socket.destroyed) await setImmediate();
      peer.send(rawFrame({ type: frameTypes.data, stream, payload }));
    },
  };
}

/** A busy machine takes a while to send as much. */
const patient = { ...callersPace, firstMessageMs: 60_000 };
const part = Buffer.alloc(16_000);
const headerOf = (length: number) => Buffer.concat([Buffer.from([0]), u32(length)]);

test('A-84, A-86: messages that never come whole take a bounded room, and others are served', async () => {
  await using gateway = await startTestGateway({ pace: patient });
  const other = await gateway.connect(admin);
  await other.call(WardenServiceService.listHosts, { pageToken: '' });
  const { peer, seen, open, data } = await connectFiller(gateway);
  // Each holds a megabyte; the largest messages have two.
  let opened = 0;
  for (; seen.resets.length === 0 && opened < 90; opened += 1) {
    open(execute);
    await data(headerOf(2 * mebibyte - 10));
    for (let n = 0; n < 62; n++) await data(part);
  }
  await expect.poll(() => seen.resets).toEqual([enhanceYourCalm]);
  expect(opened).toBeGreaterThan(60);
  await other.call(WardenServiceService.listHosts, { pageToken: '' });
  expect(gateway.faults.count()).toBe(0);
  peer.socket.destroy();
});

test('A-422 P20, P21: so does what comes for calls that wait for their turn', async () => {
  await using gateway = await startTestGateway({ pace: patient });
  const { peer, seen, open, data } = await connectFiller(gateway);
  for (let silent = 0; silent < nameLimits.unheard; silent += 1) open(execute);
  let opened = 0;
  for (; seen.resets.length === 0 && opened < 90; opened += 1) {
    open(execute);
    for (let n = 0; n < 62; n++) await data(part);
  }
  await expect.poll(() => seen.resets).toEqual([enhanceYourCalm]);
  expect(opened).toBeGreaterThan(60);
  expect(gateway.faults.count()).toBe(0);
  peer.socket.destroy();
});

test('A-422 P20, P21: and whole requests of which the end does not come', async () => {
  await using gateway = await startTestGateway({ pace: patient });
  const { peer, seen, open, data } = await connectFiller(gateway);
  const agent = Buffer.concat([Buffer.from([0x12, 0xa0, 0xf7, 0x36]), Buffer.alloc(900_000, 'x')]);
  const message = Buffer.concat([headerOf(agent.length), agent]);
  let opened = 0;
  for (; seen.resets.length === 0 && opened < 90; opened += 1) {
    open(WardenServiceService.createEnrolmentToken.path);
    for (let at = 0; at < message.length; at += part.length)
      await data(message.subarray(at, at + part.length));
  }
  await expect.poll(() => seen.resets).toEqual([enhanceYourCalm]);
  expect(opened).toBeGreaterThan(60);
  expect(gateway.faults.count()).toBe(0);
  peer.socket.destroy();
});

test('A-422: a request of which the end does not come ends in time', async () => {
  await using gateway = await startTestGateway({ pace: { ...callersPace, firstMessageMs: 500 } });
  using person = await openRawCalls(gateway, await gateway.identity(admin));
  const call = person.open(WardenServiceService.listHosts.path);
  call.write(framed(Buffer.alloc(0)));
  expect(await endOf(call)).toBe('4 no whole request within 0.5 s');
});

test('a compressed message is refused unread', async () => {
  await using gateway = await startTestGateway();
  const peer = await connectRaw({ port: gateway.port }, await gateway.identity(relay));
  const seen = watchFrames(peer);
  peer.send(preface, settings());
  const fields = callFields('/clawrden.v1.RelayService/Token', ['grpc-encoding', 'gzip']);
  peer.send(
    rawFrame({ type: frameTypes.headers, flags: 4, stream: 1, payload: headerBlock(fields) }),
    rawFrame({ type: frameTypes.data, stream: 1, payload: Buffer.from([1, 0, 0, 0, 1, 0]) }),
  );
  await expect.poll(() => seen.resets).toEqual([1]);
  peer.socket.destroy();
});
