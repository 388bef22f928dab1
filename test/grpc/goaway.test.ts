import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, relay, startTestGateway } from './gateway.ts';
import { connectRaw, goaway, preface, rawCall, settings, typesIn } from './raw-http2.ts';

const token = '/clawrden.v1.RelayService/Token';

test('A-84: who says GOAWAY and holds its connection open ends nobody but itself', async () => {
  const lines: string[] = [];
  await using gateway = await startTestGateway({ onLog: (line) => lines.push(line) });
  const other = await gateway.connect(admin);
  await other.call(WardenServiceService.listHosts, { pageToken: '' });
  const identity = await gateway.identity(relay);
  const goaways = [[], [goaway()], [goaway(2)], [goaway(0, 0x7fffffff), goaway()]];
  const peers = await Promise.all(
    goaways.map(async (frames) => {
      const peer = await connectRaw({ port: gateway.port }, identity);
      peer.send(preface, settings(), rawCall(1, token));
      await expect.poll(() => typesIn(peer.received())).toContain(1);
      peer.send(...frames);
      return peer;
    }),
  );
  const closed = () => peers.map(({ probe }) => probe());
  await expect.poll(closed, { timeout: 14_000 }).toEqual([false, true, true, true]);
  await other.call(WardenServiceService.listHosts, { pageToken: '' });
  expect(gateway.faults.count()).toBe(0);
  peers[0]?.socket.destroy();
});

test('A-84, P6: of a revoked certificate no frame is read, and its connection ends', async () => {
  await using gateway = await startTestGateway();
  const identity = await gateway.identity(relay);
  await gateway.revoke(identity);
  const peer = await connectRaw({ port: gateway.port }, identity);
  peer.send(preface, settings(), rawCall(1, token));
  await expect.poll(peer.probe).toBe(true);
  // Not even the settings, with which a server begins.
  expect(typesIn(peer.received())).toEqual([]);
});

test('A-91: a call with a second authorization is refused, whichever of them is good', async () => {
  const reasons: string[] = [];
  const onLog = (line: string) => {
    const { msg, reason } = JSON.parse(line) as { msg: string; reason: string };
    if (msg === 'call refused') reasons.push(reason);
  };
  await using gateway = await startTestGateway({ onLog });
  const peer = await connectRaw({ port: gateway.port }, await gateway.identity(admin));
  peer.send(preface, settings(), rawCall(1, token));
  await expect.poll(() => peer.received().includes('eyJ')).toBe(true);
  const jwt = /eyJ[\w.-]+/.exec(peer.received().toString('latin1'))?.[0] ?? '';
  const call = async (stream: number, values: readonly string[]) => {
    const before = peer.received().length;
    const headers = values.map((value) => ['authorization', `Bearer ${value}`] as const);
    peer.send(rawCall(stream, WardenServiceService.listHosts.path, ...headers));
    await expect.poll(() => endOfStream(peer.received().subarray(before), stream)).toBe(true);
  };
  await call(3, [jwt]);
  expect(reasons).toEqual([]);
  const doubled = [
    [jwt, 'x'],
    ['x', jwt],
    [jwt, jwt],
    ['x', 'y', jwt],
  ];
  for (const [index, values] of doubled.entries()) {
    await call(5 + 2 * index, values);
    // Of one name a line a second is logged.
    await sleep(1_100);
  }
  const expected = `more than one authorization, at ${WardenServiceService.listHosts.path} from `;
  expect(reasons).toEqual(doubled.map(() => expect.stringContaining(expected)));
  peer.socket.destroy();
});

/** Whether a frame with END_STREAM came for it. */
function endOfStream(bytes: Buffer, stream: number): boolean {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const isEnd = (bytes.readUInt8(at + 4) & 1) === 1 && bytes.readUInt8(at + 3) <= 1;
    if (bytes.readUInt32BE(at + 5) === stream && isEnd) return true;
  }
  return false;
}
