import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, relay, startTestGateway } from './gateway.ts';
import { frameTypes, preface, rawFrame, settings, u32 } from './raw-http2.ts';
import { connectRawTls, type RawTls, recordTypes } from './raw-tls.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const listHosts = { pageToken: '' };
const none = Buffer.alloc(0);
const frame = rawFrame({ type: frameTypes.windowUpdate, payload: u32(1) });

/** Records that carry next to nothing; none of them is wrong. A frame goes byte by byte, one with each round. */
const kinds: Record<string, (peer: RawTls, round: number) => Buffer> = {
  'key update': (peer) => peer.keyUpdate(false),
  'key update that asks for one': (peer) => peer.keyUpdate(true),
  'key update in pieces': (peer) => peer.keyUpdate(false, 5),
  'empty record': (peer) => peer.seal(none),
  byte: (peer, round) => peer.seal(frame.subarray(round % frame.length, (round % frame.length) + 1)),
  warning: (peer) => peer.seal(Buffer.from([1, 90]), recordTypes.alert),
};
/** Otherwise these would end a slow flood first. */
const patient = {
  ...{ ...callersPace, handshakeMs: 60_000, firstCallMs: 60_000, synchronizeMs: 60_000 },
  ...{ idleMs: 60_000, pingMs: 60_000 },
};
/** Sealed before any of it is sent: a slow machine would seal fewer a second than a name may send. */
const perBatch = (cycle: readonly string[]) =>
  cycle.includes('byte') && !cycle.some((kind) => kind.startsWith('key')) ? 70_000 / cycle.length : 1000;
/** Far more than any of them may bring. */
const most = 3_000_000;

const cycles = fc.subarray(Object.keys(kinds), { minLength: 1 });

async function connected(port: number, identityDir?: string): Promise<RawTls> {
  const peer = await connectRawTls({ port, ...(identityDir !== undefined && { identityDir }) });
  const answer = new Promise((resolve) => peer.socket.once('data', resolve));
  peer.socket.write(peer.seal(Buffer.concat([preface, settings()])));
  await Promise.race([answer, peer.ended]);
  return peer;
}

/** Returns how many records were sent until the connection ended. */
async function flood(peer: RawTls, cycle: readonly string[]): Promise<number> {
  let sent = 0;
  for (let round = 0; !peer.socket.closed && sent < most; ) {
    const batch: Buffer[] = [];
    for (let n = 0; n < perBatch(cycle); n++, round++) {
      for (const kind of cycle) batch.push(kinds[kind]?.(peer, round) ?? none);
      // The gateway and its other clients are in this process, too.
      if (n % 500 === 499) await new Promise(setImmediate);
    }
    sent += batch.length;
    const isTaken = peer.socket.write(Buffer.concat(batch));
    await (isTaken ? new Promise(setImmediate) : Promise.race([peer.ended, drained(peer)]));
  }
  return sent;
}

const drained = (peer: RawTls) => new Promise((resolve) => peer.socket.once('drain', resolve));

test(
  'A-92, P20: whatever TLS records that carry next to nothing a relay floods with, its connection ends, and others are served',
  async () => {
    const log: string[] = [];
    await using gateway = await startTestGateway({ onLog: (line) => log.push(line), pace: patient });
    const other = await gateway.connect(admin);
    const call = () => other.call(WardenServiceService.listHosts, listHosts);
    const some = fc.sample(cycles, { numRuns: isLong ? 20 : 1, seed: isLong ? Date.now() : 20_261_122 });
    const all = [...Object.keys(kinds).map((kind) => [kind]), ...some];
    for (const [n, cycle] of all.entries()) {
      const identityDir = await gateway.identity({ kind: 'relay', name: `host-${n}` });
      const peer = await connected(gateway.port, identityDir);
      const flooding = flood(peer, cycle);
      await call();
      const sent = await flooding;
      expect([cycle, sent < most]).toEqual([cycle, true]);
    }
    await call();
    expect(gateway.faults.count()).toBe(0);
    await expect.poll(() => log.join()).toContain('it updated its TLS keys far too often');
    expect(log.join()).toContain('TLS records that carry next to nothing');
  },
  isLong ? 600_000 : 180_000,
);

test('A-92, P20: who flooded with key updates is not admitted at once again; few of them, and few small records, are fine', async () => {
  await using gateway = await startTestGateway();
  const identityDir = await gateway.identity(relay);
  const honest = await connected(gateway.port, identityDir);
  for (let n = 0; n < 10; n++) honest.socket.write(honest.keyUpdate(n % 2 === 0));
  for (let n = 0; n < 100 * frame.length; n++) honest.socket.write(kinds['byte']?.(honest, n) ?? none);
  const ping = rawFrame({ type: frameTypes.ping, payload: Buffer.alloc(8) });
  let answered = 0;
  honest.socket.on('data', ({ length }) => (answered += length));
  await sleep(300);
  const before = answered;
  honest.socket.write(honest.seal(ping));
  await expect.poll(() => answered).toBeGreaterThan(before);
  const bad = await connected(gateway.port, identityDir);
  await flood(bad, ['key update']);
  const again = await connected(gateway.port, identityDir);
  await again.ended;
  expect(honest.socket.closed).toBe(false);
  honest.socket.destroy();
});

test('A-92: a handshake in records of one byte ends when it is far too long, and one of ordinary size does not', async () => {
  const log: string[] = [];
  await using gateway = await startTestGateway({ onLog: (line) => log.push(line), pace: patient });
  const identityDir = await gateway.identity(relay);
  const small = await connectRawTls({ port: gateway.port, identityDir, fragmentBytes: 1 });
  small.socket.write(small.seal(Buffer.concat([preface, settings()])));
  await sleep(300);
  expect(small.socket.closed).toBe(false);
  small.socket.destroy();
  const long = { port: gateway.port, identityDir, fragmentBytes: 1, paddingBytes: 60_000 };
  const refused = async () => await (await connectRawTls(long)).ended;
  await refused().catch((error) => expect(String(error)).toContain('the server ended'));
  await expect.poll(() => log.join()).toContain('its TLS handshake is far too long');
  const other = await gateway.connect(admin);
  await other.call(WardenServiceService.listHosts, listHosts);
});

test('A-92: the enrolment listener, too, which asks for no certificate', async () => {
  const log: string[] = [];
  await using gateway = await startTestGateway({ onLog: (line) => log.push(line), pace: patient });
  const client = await gateway.connect(admin);
  const wanted = { relay: relay.name, agents: ['coder'], ttl: 600 };
  const { token } = await client.call(WardenServiceService.createEnrolmentToken, wanted);
  const peer = await connected(Number(gateway.enrollAddress.split(':')[1]));
  const flooding = flood(peer, ['key update that asks for one']);
  await enroll({
    address: gateway.enrollAddress,
    token,
    as: 'relay',
    identityDir: `${gateway.dir}/enrolled`,
  });
  expect(await flooding).toBeLessThan(most);
  await expect.poll(() => log.join()).toContain('it updated its TLS keys far too often');
});
