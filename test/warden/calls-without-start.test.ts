import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { identityFiles } from '../../src/pki/identity-files.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const connections = isLong ? 240 : 24;
const callsEach = 1000;
const mostOfRelay = 8;
const mostCalls = 2000;
const mostGrowth = 128;
const seconds = isLong ? 30 : 3;

let gateway: RealGateway;
let admin: GatewayClient;

beforeAll(async () => {
  gateway = await startRealGateway();
  admin = await gateway.admin();
});
afterAll(async () => {
  admin?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const megabytes = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid()}/status`, 'utf8'))?.[1]) / 1024;

const paths = [
  '/clawrden.v1.ExecutionService/Execute',
  '/clawrden.v1.RelayService/Synchronize',
  '/clawrden.v1.RelayService/Token',
  '/clawrden.v1.WardenService/WatchApprovals',
  '/clawrden.v1.WardenService/ListExecutions',
];

/** A relay's connection that opens calls of every kind as fast as it can, and sends nothing on them. */
function flood(identity: string, token: string) {
  const [cert, key] = [identityFiles.certificate, identityFiles.key].map((file) =>
    readFileSync(join(identity, file)),
  );
  const session: ClientHttp2Session = connect(`https://${gateway.address}`, {
    ...{ cert, key, rejectUnauthorized: false },
  });
  session.on('error', () => {});
  const seen = { opened: 0, open: 0, session, served: false };
  session.once('remoteSettings', () => {
    seen.served = true;
    for (; seen.opened < callsEach; seen.opened++) {
      const call = session.request({
        ...{ ':method': 'POST', ':path': paths[seen.opened % paths.length], te: 'trailers' },
        ...{ 'content-type': 'application/grpc', authorization: `Bearer ${token}` },
      });
      seen.open += 1;
      call.on('error', () => {}).resume();
      call.on('close', () => {
        seen.open -= 1;
      });
    }
  });
  return seen;
}

test(
  `P20, P21: ${connections} connections of one relay with ${callsEach} calls each that never say anything: memory is bounded, others are served, and they end`,
  async () => {
    const relay = await gateway.relay();
    expect(await runOne(relay)).toBe(7);
    const { token } = await relay.call(RelayServiceService.token, {});
    const before = megabytes();
    let peak = before;
    const took: number[] = [];
    const flooding: ReturnType<typeof flood>[] = [];
    for (let n = 0; n < connections; n++) {
      flooding.push(flood(gateway.relayFolder, token));
      // Not all handshakes in one instant: the backlog of the listener is not what is tested.
      if (n % 8 === 7) await sleep(50);
    }
    for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(50)) {
      const began = performance.now();
      await admin.call(WardenServiceService.listHosts, { pageToken: '' });
      took.push(performance.now() - began);
      peak = Math.max(peak, megabytes());
    }
    expect(flooding.filter(({ session }) => !session.destroyed).length).toBeLessThan(mostOfRelay);
    expect(flooding.reduce((sum, { open }) => sum + open, 0)).toBeLessThanOrEqual(mostCalls);
    expect(peak - before).toBeLessThan(mostGrowth);
    // Who is not served waits for its deadline; the rest is the machine's business.
    expect(took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)]).toBeLessThan(10_000);
    // A relay's newest `Synchronize` stays: the relay may report later.
    const left = () => flooding.reduce((sum, { open }) => sum + open, 0);
    if (isLong) await expect.poll(left, { timeout: 25_000 }).toBeLessThanOrEqual(1);
    for (const { session } of flooding) session.destroy();
    // The same relay is admitted again, and its earlier work continued.
    const again = await gateway.relay();
    await expect.poll(() => runOne(again), { interval: 500 }).toBe(7);
    for (const client of [relay, again]) client.close();
    expect(readFileSync(gateway.log, 'utf8')).not.toContain('unforeseen');
  },
  isLong ? 120_000 : 60_000,
);

async function runOne(client: GatewayClient): Promise<number | undefined> {
  const command = newMirrored();
  await play(client, command, { tool: 'run' }, gateway.audit);
  return command.outcome?.code;
}
