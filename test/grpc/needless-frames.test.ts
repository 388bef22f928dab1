import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import type { Channel, StartRequest } from '../../gateway/ports/channel.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { openExecuteCall, type ToGateway } from '../../src/gateway-client/execute-call.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, relay, startTestGateway } from './gateway.ts';
import {
  connectRaw,
  frameTypes,
  preface,
  type RawFrame,
  type RawPeer,
  rawCall,
  rawFrame,
  settings,
  u32,
} from './raw-http2.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const mebi = 1024 * 1024;
const listHosts = { pageToken: '' };
const token = '/clawrden.v1.RelayService/Token';

const { data, headers, priority, rstStream, pushPromise, ping, goaway, windowUpdate, continuation } =
  frameTypes;
/** Frames that no call needs; stream 1 is an open call, which waits for the rest of its message. */
const kinds: Record<string, RawFrame> = {
  'window of the connection': { type: windowUpdate, payload: u32(1) },
  'window of a call': { type: windowUpdate, stream: 1, payload: u32(1) },
  'window of no call': { type: windowUpdate, stream: 3, payload: u32(1) },
  priority: { type: priority, stream: 1, payload: Buffer.alloc(5) },
  'priority of no call': { type: priority, stream: 3, payload: Buffer.from([0, 0, 0, 0, 9]) },
  ping: { type: ping, payload: Buffer.alloc(8) },
  'answer to no ping': { type: ping, flags: 1, payload: Buffer.alloc(8) },
  settings: { type: frameTypes.settings },
  'settings with one': { type: frameTypes.settings, payload: Buffer.from([0, 3, 0, 0, 0, 100]) },
  'answer to no settings': { type: frameTypes.settings, flags: 1 },
  'empty content': { type: data, stream: 1 },
  'a byte of content': { type: data, stream: 1, payload: Buffer.from([0]) },
  'content of nothing but padding': { type: data, flags: 8, stream: 1, payload: Buffer.from([2, 0, 0]) },
  'content of no call': { type: data, stream: 3, payload: Buffer.alloc(9) },
  trailers: { type: headers, flags: 4, stream: 1, payload: Buffer.from([0x82]) },
  continuation: { type: continuation, stream: 1 },
  reset: { type: rstStream, stream: 1, payload: u32(8) },
  'reset of no call': { type: rstStream, stream: 3, payload: u32(8) },
  promise: { type: pushPromise, stream: 1, payload: u32(2) },
  goaway: { type: goaway, payload: Buffer.alloc(8) },
  origin: { type: 12 },
  'alternative service': { type: 10, payload: Buffer.alloc(2) },
  'of no known type': { type: 0x77 },
  'of no known type, large': { type: 0x77, payload: Buffer.alloc(16_000) },
};
interface Cycle {
  readonly cycle: readonly string[];
  /** How often each frame comes again before the next one. */
  readonly times: number;
}
const cycles = fc.record({
  cycle: fc.shuffledSubarray(Object.keys(kinds), { minLength: 1 }),
  times: fc.nat(400),
});
const atOnce = 6;
/** Otherwise these would end a slow flood first. */
const patient = {
  ...callersPace,
  firstCallMs: 60_000,
  firstMessageMs: 60_000,
  synchronizeMs: 60_000,
  pingMs: 60_000,
};
const most = 1024 * mebi;

async function connected(port: number, identityDir?: string): Promise<RawPeer> {
  const peer = await connectRaw({ port }, identityDir);
  // The beginning of a message that is as long as any may be.
  const begun = rawFrame({ type: data, stream: 1, payload: Buffer.from([0, 0, 0x1f, 0xff, 0xff]) });
  peer.send(preface, settings(), rawCall(1, token).subarray(0, -14), begun);
  peer.socket.on('end', () => peer.socket.end());
  return peer;
}

/** Sends the frames again and again, packed into large records; returns how many bytes until the connection ended. */
async function flood(peer: RawPeer, frames: readonly Buffer[]): Promise<number> {
  const one = Buffer.concat(frames);
  const batch = Buffer.concat(Array.from({ length: Math.ceil(mebi / 4 / one.length) }, () => one));
  let sent = 0;
  for (; sent < most && peer.socket.writable; sent += batch.length) {
    const isTaken = peer.socket.write(batch);
    await (isTaken ? new Promise(setImmediate) : Promise.race([peer.ended, drained(peer)]));
  }
  return sent;
}

const drained = ({ socket }: RawPeer) =>
  new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));

test(
  'A-93, P20: whatever frames that no call needs a relay floods with, its connection ends, and others are served',
  async () => {
    const log: string[] = [];
    await using gateway = await startTestGateway({ onLog: (line) => log.push(line), pace: patient });
    const other = await gateway.connect(admin);
    const call = () => other.call(WardenServiceService.listHosts, listHosts);
    const drawn = fc.sample(cycles, { numRuns: isLong ? 20 : 4, seed: isLong ? Date.now() : 20_261_122 });
    const alone = fc.sample(fc.shuffledSubarray(Object.keys(kinds), { minLength: 8, maxLength: 8 }), {
      ...{ numRuns: 1, seed: 20_261_122 },
    });
    const ones = isLong ? Object.keys(kinds) : alone.flat();
    const all: Cycle[] = [...ones.map((kind) => ({ cycle: [kind], times: 0 })), ...drawn];
    const attack = async ({ cycle, times }: Cycle, n: number) => {
      const peer = await connected(
        gateway.port,
        await gateway.identity({ kind: 'relay', name: `host-${n}` }),
      );
      const frames = cycle.map((kind) => rawFrame(kinds[kind] ?? { type: data }));
      const sent = await flood(
        peer,
        frames.flatMap((frame) => Array<Buffer>(1 + times).fill(frame)),
      );
      expect([cycle, times, sent < most]).toEqual([cycle, times, true]);
      peer.reset();
    };
    while (all.length > 0) {
      const some = all.splice(0, atOnce);
      await Promise.all([call(), ...some.map((cycle, n) => attack(cycle, all.length + n))]);
    }
    await call();
    expect(gateway.faults.count()).toBe(0);
    await expect.poll(() => log.join()).toContain('frames that no call needs');
  },
  isLong ? 600_000 : 60_000,
);

test('A-93: who flooded is not admitted at once again, and some of all these frames are fine', async () => {
  await using gateway = await startTestGateway({ pace: patient });
  const identityDir = await gateway.identity(relay);
  const honest = await connected(gateway.port, identityDir);
  const fine = [
    'window of the connection',
    'window of a call',
    'ping',
    'settings with one',
    'a byte of content',
  ];
  const frames = fine.map((kind) => rawFrame(kinds[kind] ?? { type: 0 }));
  for (let n = 0; n < 100; n++) {
    honest.send(...frames);
    await sleep(2);
  }
  const bad = await connected(gateway.port, identityDir);
  await flood(bad, [rawFrame({ type: windowUpdate, payload: u32(1) })]);
  const again = await connected(gateway.port, identityDir);
  await expect.poll(() => again.probe()).toBe(true);
  const before = honest.received().length;
  honest.send(rawFrame({ type: ping, payload: Buffer.alloc(8) }));
  await expect.poll(() => honest.received().length).toBeGreaterThan(before);
  for (const peer of [honest, bad, again]) peer.reset();
});

const piece = Buffer.alloc(60_000, 'x');
const startOf = (tool: string, args: readonly string[]): ToGateway => ({
  $case: 'start',
  value: {
    ...{
      executionId: newExecutionId(),
      agent: 'coder',
      hostLabels: [],
      identity: undefined,
      refusal: undefined,
    },
    command: {
      ...{ tool, args: [...args], cwd: '/app', env: [], umask: 0o22, stdio: ['pipe', 'pipe', '=1'] },
      ...{ ignored: [], blocked: [], terminal: undefined, version: 1 },
    },
  },
});

/** Takes stdin until it ends, or sends so many bytes of stdout. */
async function run(_caller: unknown, { command }: StartRequest, channel: Channel) {
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.listen((input) => void (input.type === 'stdin-end' && resolve()));
  channel.gone.addEventListener('abort', () => resolve());
  await channel.send({ type: 'credit', bytes: 2 ** 31 });
  if (command.tool === 'yes')
    for (let left = Number(command.args[0]); left > 0; left -= piece.length)
      await channel.send({ type: 'stdout', bytes: piece });
  else if (command.tool === 'cat') await promise;
  return { kind: 'exited', code: 0, signal: 0 } as const;
}

/** What honest clients do most of. Each sends over one connection. */
const honest: Record<string, (client: GatewayClient, bytes: number) => Promise<void>> = {
  stdin: async (client, bytes) => {
    const call = openExecuteCall(client.execute(), () => undefined);
    await call.send(startOf('cat', []));
    for (let left = bytes; left > 0; left -= piece.length) await call.send({ $case: 'stdin', value: piece });
    await call.send({ $case: 'stdinEnd', value: {} });
    await call.outcome;
  },
  stdout: async (client, bytes) => {
    const call = openExecuteCall(client.execute(), () => undefined);
    await call.send(startOf('yes', [String(bytes)]));
    await call.outcome;
  },
  'keys and signals of many commands': async (client, bytes) => {
    const calls = Array.from({ length: 100 }, () => openExecuteCall(client.execute(), () => undefined));
    for (const call of calls) await call.send(startOf('cat', []));
    for (let n = 0; n < Math.min(bytes / mebi, 60); n++) {
      for (const call of calls) await call.send({ $case: 'stdin', value: Buffer.from([n]) });
      for (const call of calls) await call.send({ $case: 'resize', value: { rows: n, cols: 80 } });
      await new Promise(setImmediate);
    }
    for (const call of calls) await call.send({ $case: 'stdinEnd', value: {} });
    await Promise.all(calls.map(({ outcome }) => outcome));
  },
  'commands that end while their input is on its way': async (client, bytes) => {
    const one = async (n: number) => {
      const call = openExecuteCall(client.execute(), () => undefined);
      void call.send(startOf(n % 2 === 0 ? 'true' : 'cat', ['x'.repeat(3000)]));
      for (let k = 0; k < 8; k++) void call.send({ $case: 'stdin', value: piece });
      if (n % 2 !== 0) setImmediate(call.cancel);
      await call.outcome.catch(() => {});
    };
    for (let n = 0; n < bytes / mebi; n += 10)
      await Promise.all(Array.from({ length: 10 }, (_, k) => one(n + k)));
  },
};

test.each(Object.keys(honest))(
  'A-93, a control: %s of a relay end nothing, however much',
  async (what) => {
    const log: string[] = [];
    await using gateway = await startTestGateway({ execute: run, onLog: (line) => log.push(line) });
    const client = await gateway.connect(relay);
    await client.waitForReady(5000);
    await honest[what]?.(client, (isLong ? 1024 : 24) * mebi);
    // What ended or connected is told every second.
    await expect.poll(() => log.join()).toContain('"connected"');
    await sleep(1100);
    expect(log.filter((line) => !line.includes('"connected"'))).toEqual([]);
    expect(log).toHaveLength(1);
  },
  isLong ? 300_000 : 60_000,
);
