import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, relay, startTestGateway } from './gateway.ts';
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

test('A-84, A-86: messages that never come whole take a bounded room, and others are served', async () => {
  await using gateway = await startTestGateway();
  const other = await gateway.connect(admin);
  await other.call(WardenServiceService.listHosts, { pageToken: '' });
  const peer = await connectRaw({ port: gateway.port }, await gateway.identity(admin));
  const seen = watchFrames(peer);
  peer.send(preface, settings(), rawCall(1, '/clawrden.v1.RelayService/Token'));
  await expect.poll(() => peer.received().includes('eyJ')).toBe(true);
  const jwt = /eyJ[\w.-]+/.exec(peer.received().toString('latin1'))?.[0] ?? '';
  const open = headerBlock(callFields(execute, ['authorization', `Bearer ${jwt}`]));
  const begin = Buffer.concat([Buffer.from([0]), u32(2 * mebibyte - 10)]);
  const part = Buffer.alloc(16_000);
  let sent = 100;
  const data = async (stream: number, payload: Buffer) => {
    sent += payload.length;
    while (seen.credit < sent && !peer.socket.destroyed) await setImmediate();
    peer.send(rawFrame({ type: frameTypes.data, stream, payload }));
  };
  // Each holds a megabyte; the largest messages have two.
  let opened = 0;
  for (; seen.resets.length === 0 && opened < 90; opened += 1) {
    const stream = 3 + 2 * opened;
    peer.send(rawFrame({ type: frameTypes.headers, flags: 4, stream, payload: open }));
    await data(stream, begin);
    for (let n = 0; n < 62; n++) await data(stream, part);
  }
  await expect.poll(() => seen.resets).toEqual([enhanceYourCalm]);
  expect(opened).toBeGreaterThan(60);
  await other.call(WardenServiceService.listHosts, { pageToken: '' });
  expect(gateway.faults.count()).toBe(0);
  peer.socket.destroy();
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
