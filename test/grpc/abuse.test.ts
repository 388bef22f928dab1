import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, relay, startTestGateway, type TestGateway } from './gateway.ts';
import { type Hostility, hostility } from './hostile-frames.ts';
import {
  connectRaw,
  frameTypes,
  preface,
  type RawPeer,
  rawCall,
  rawFrame,
  settings,
  typesIn,
} from './raw-http2.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const perPeer = isLong ? 600 : 40;
const atOnce = 12;
const token = '/clawrden.v1.RelayService/Token';

/** About a tenth of the real values, so that the end comes while the test watches. */
const pace = {
  handshakeMs: 600,
  firstCallMs: 1000,
  firstMessageMs: 1000,
  synchronizeMs: 500,
  idleMs: 3000,
  pingMs: 800,
  pongMs: 2500,
};

async function attack(port: number, identity: string | undefined, what: Hostility): Promise<RawPeer> {
  const peer = await connectRaw({ port }, identity);
  const { after, bytes, atLast } = what;
  const steps = ['nothing', 'preface', 'settings', 'open call', 'half-closed call', 'call'];
  const at = steps.indexOf(after);
  if (at >= 1) peer.send(preface);
  if (at >= 2) peer.send(settings());
  if (at === 3) peer.send(rawCall(1, token).subarray(0, -14));
  if (at >= 4) peer.send(rawCall(1, token));
  if (at === 5) await Promise.race([peer.ended, sleep(20)]);
  if (atLast === 'freeze') peer.socket.pause();
  for (const part of bytes) {
    peer.send(part);
    await new Promise(setImmediate);
  }
  if (atLast === 'half-close') peer.socket.end();
  if (atLast === 'reset') peer.reset();
  return peer;
}

/** Calls again and again; returns how long each call took. */
function caller(call: () => Promise<unknown>) {
  const took: number[] = [];
  let over = false;
  const done = (async () => {
    while (!over) {
      const began = performance.now();
      await call();
      took.push(performance.now() - began);
      await sleep(5);
    }
  })();
  return {
    end: async () => {
      over = true;
      await done;
      return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
    },
  };
}

async function attackAll(port: number, identities: readonly (string | undefined)[]): Promise<RawPeer[]> {
  const peers: RawPeer[] = [];
  for (const identity of identities) {
    const all = fc.sample(hostility, { numRuns: perPeer, seed: isLong ? Date.now() : 20_261_122 });
    const next = async () => {
      for (let what = all.pop(); what !== undefined; what = all.pop())
        peers.push(await attack(port, identity, what));
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  }
  return peers;
}

async function allEnd(peers: readonly RawPeer[]): Promise<void> {
  // A frozen peer does not see that its connection ends.
  for (const { socket } of peers) socket.resume();
  await expect.poll(() => peers.filter(({ probe }) => !probe()).length, { timeout: 10_000 }).toBe(0);
}

async function heapAfterCollection(): Promise<number> {
  await sleep(50);
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function setup(): Promise<TestGateway & { identities: (string | undefined)[] }> {
  const gateway = await startTestGateway({ pace });
  const revoked = await gateway.identity(relay);
  await gateway.revoke(revoked);
  return { ...gateway, identities: [await gateway.identity(relay), revoked, undefined] };
}

test(
  'A-84: whatever frames a peer sends, in whatever state, it ends; others are served, and nothing is left of it',
  async () => {
    await using gateway = await setup();
    const other = await gateway.connect(admin);
    const call = () => other.call(WardenServiceService.listHosts, { pageToken: '' });
    await call();
    const before = await heapAfterCollection();
    const calling = caller(call);
    const peers = await attackAll(gateway.port, gateway.identities);
    await allEnd(peers);
    expect(await calling.end()).toBeLessThan(isLong ? 1000 : 3000);
    expect(gateway.faults.count()).toBe(0);
    peers.length = 0;
    expect((await heapAfterCollection()) - before).toBeLessThan(64 * 1024 * 1024);
    // What was sent under its name may have put it out for 5 s.
    const toWellBehaved = async () => {
      const well = await connectRaw({ port: gateway.port }, gateway.identities[0]);
      well.send(preface, settings(), rawCall(1, token));
      await Promise.race([well.ended, sleep(500)]);
      well.socket.destroy();
      return typesIn(well.received());
    };
    await expect.poll(toWellBehaved, { timeout: 20_000, interval: 500 }).toContain(frameTypes.data);
  },
  isLong ? 600_000 : 40_000,
);

test(
  'A-84: the enrolment listener, too, which asks for no certificate',
  async () => {
    await using gateway = await setup();
    const client = await gateway.connect(admin);
    const wanted = { relay: relay.name, agents: ['coder'], ttl: 600 };
    const fresh = async () => (await client.call(WardenServiceService.createEnrolmentToken, wanted)).token;
    await fresh();
    const port = Number(gateway.enrollAddress.split(':')[1]);
    const peers = await attackAll(port, [undefined]);
    const address = gateway.enrollAddress;
    await enroll({ address, token: await fresh(), as: 'relay', identityDir: `${gateway.dir}/enrolled` });
    await allEnd(peers);
    expect(gateway.faults.count()).toBe(0);
  },
  isLong ? 300_000 : 30_000,
);

test('A-84: a call that says nothing ends after its time, and who answers pings but calls nobody is sent off', async () => {
  await using gateway = await startTestGateway({
    pace: { ...callersPace, firstMessageMs: 700, idleMs: 1000, firstCallMs: 700 },
  });
  const identity = await gateway.identity(relay);
  const silent = await connectRaw({ port: gateway.port }, identity);
  silent.send(preface, settings(), rawCall(1, token).subarray(0, -14));
  const idle = await connectRaw({ port: gateway.port }, identity);
  idle.send(preface, settings());
  const pinging = setInterval(() => {
    for (const { send } of [silent, idle])
      send(rawFrame({ type: frameTypes.ping, payload: Buffer.alloc(8) }));
  }, 50);
  await Promise.all([silent.ended, idle.ended]);
  clearInterval(pinging);
  expect(typesIn(idle.received())).toContain(frameTypes.goaway);
});
