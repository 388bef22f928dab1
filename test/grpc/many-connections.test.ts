import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, relay, startTestGateway } from './gateway.ts';
import { connectRaw, preface, type RawPeer, settings } from './raw-http2.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const many = isLong ? 3000 : 250;
const listHosts = { pageToken: '' };

/** Connects and sends nothing; each from its own address, if there are enough addresses. */
async function silent(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const localAddress = `127.0.${1 + (n % 4)}.1`;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    sockets.push(socket);
    if (n % 50 === 49) await sleep(isLong ? 100 : 5);
  }
  return sockets;
}

test(
  'A-88: connections without and with a certificate, idle: bounded, gone within seconds, and others do not feel them',
  async () => {
    const limits = { connections: 100, perAddress: 40 };
    const pace = { ...callersPace, handshakeMs: 2500, firstCallMs: 1500 };
    await using gateway = await startTestGateway({ limits, pace });
    const valid = await gateway.connect(admin);
    const identityDir = await gateway.identity(relay);
    // `gateway.connect` has a stream of its own, which this one would displace.
    const own = await connectGateway({ address: gateway.address, identityDir });
    const synchronizing = own.synchronize();
    let lost: Error | undefined;
    synchronizing.on('error', (error) => (lost = error)).resume();
    await valid.call(WardenServiceService.listHosts, listHosts);
    const nobody = await silent(gateway.port, many);
    const identity = await gateway.identity({ kind: 'relay', name: 'stolen' });
    const holders: RawPeer[] = [];
    for (let n = 0; n < many / 5; n++) {
      const peer = await connectRaw({ port: gateway.port, localAddress: `127.0.9.${1 + (n % 3)}` }, identity);
      peer.send(preface, settings());
      holders.push(peer);
    }
    const began = performance.now();
    for (let n = 0; n < 20; n++) await valid.call(WardenServiceService.listHosts, listHosts);
    expect((performance.now() - began) / 20).toBeLessThan(1000);
    // A new peer is admitted, too.
    const late = await gateway.connect(admin);
    await late.call(WardenServiceService.listHosts, listHosts);
    const open = () =>
      [...nobody.map((socket) => !socket.closed), ...holders.map(({ probe }) => !probe())].filter(Boolean)
        .length;
    await expect.poll(open, { timeout: 8000 }).toBeLessThanOrEqual(limits.connections);
    await expect.poll(open, { timeout: 8000 }).toBe(0);
    await valid.call(WardenServiceService.listHosts, listHosts);
    expect([lost, gateway.faults.count()]).toEqual([undefined, 0]);
    synchronizing.on('error', () => {}).cancel();
    own.close();
  },
  isLong ? 120_000 : 30_000,
);

test('A-88, P20: a relay has eight connections: who holds its certificate leaves room for the others', async () => {
  await using gateway = await startTestGateway({ limits: { connections: 60, perAddress: 20 } });
  const identity = await gateway.identity({ kind: 'relay', name: 'stolen' });
  const peers = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const peer = await connectRaw({ port: gateway.port, localAddress: `127.0.${1 + (n % 5)}.1` }, identity);
      peer.send(preface, settings());
      return peer;
    }),
  );
  await expect.poll(() => peers.filter(({ probe }) => !probe()).length).toBe(8);
  const client = await gateway.connect(relay);
  await expect(client.call(WardenServiceService.listHosts, listHosts)).rejects.toMatchObject({ code: 7 });
  for (const { socket } of peers) socket.destroy();
});
