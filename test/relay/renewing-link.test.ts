import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { relayCallRates } from '../../gateway/grpc/calls/relay-call-rates.ts';
import { type Link, openRenewingLink, type Synchronization } from '../../shim/relay/control/renewing-link.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { renew } from '../../src/gateway-client/renew.ts';
import { RelayServiceService, type SynchronizeResponse } from '../../src/gen/clawrden/v1/relay.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { parsePeerName } from '../../src/pki/peer-name.ts';
import { connectRelay } from '../grpc/connect-relay.ts';
import { admin, type GatewayOptions, relay, startTestGateway, type TestGateway } from '../grpc/gateway.ts';

const day = 86_400_000;

async function setup(
  days: number,
  peer: { kind: 'relay'; name: string } = relay,
  options: GatewayOptions = {},
) {
  const gateway = await startTestGateway(options);
  const end = Date.now() + days * day;
  const period = { notBefore: new Date(end - 90 * day), notAfter: new Date(end) };
  const identityDir = await gateway.identity(peer, { period });
  const logged: { msg: string; time: number; why?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => logged.push(JSON.parse(line)) });
  return {
    gateway,
    identityDir,
    logged,
    open: (more = {}) => openRenewingLink({ address: gateway.address, identityDir, log, ...more }),
  };
}

async function daysLeft(identityDir: string): Promise<number> {
  const { certificate } = await readIdentity(identityDir);
  return Math.round((new X509Certificate(certificate).validToDate.getTime() - Date.now()) / day);
}

/** The gateway's first message on a stream; rejects if it accepts no stream. */
async function synchronized(link: Link): Promise<Synchronization> {
  const opened = await link.synchronize(5000);
  if (opened === undefined) throw new Error('the gateway does not answer');
  opened.stream.on('error', () => {});
  await once(opened.stream, 'data');
  return opened;
}

test('P6: a relay renews its certificate in time, with another key, and goes over to it while it runs', async () => {
  const { gateway, identityDir, logged, open } = await setup(29);
  await using _ = gateway;
  const old = `${identityDir}-old`;
  await cp(identityDir, old, { recursive: true });
  const link = await open();
  const before = await synchronized(link);
  const left = once(before.stream, 'status');
  await expect.poll(() => daysLeft(identityDir)).toBe(90);
  await expect.poll(() => logged.map(({ msg }) => msg)).toEqual(['the certificate was renewed']);
  await before.renewed;
  await synchronized(link);
  // The gateway ends the stream before.
  await left;
  const { certificate, key } = await readIdentity(identityDir);
  const publicKey = createPublicKey(createPrivateKey(key));
  expect(new X509Certificate(certificate).publicKey.equals(publicKey)).toBe(true);
  expect((await readIdentity(old)).key.equals(key)).toBe(false);
  await gateway.revoke(old);
  expect(await link.waitForReady(5000)).toBe(true);
  link.close();
});

test('a gateway that leaves gets no new command, and the next one does', async () => {
  let isLeaving = false;
  const { gateway, open } = await setup(90, relay, {
    state: () => ({ lockdown: false, agents: [], leaving: isLeaving }),
  });
  await using _ = gateway;
  const link = await open();
  const { stream } = await synchronized(link);
  expect(await link.waitForReady(5000)).toBe(true);
  isLeaving = true;
  const told = once(stream, 'data');
  gateway.relays.tellAll();
  await told;
  expect(await link.waitForReady(100)).toBe(false);
  // Another stream of the same gateway gets none either.
  await gateway.restart();
  await synchronized(link);
  expect(await link.waitForReady(100)).toBe(false);
  isLeaving = false;
  await gateway.restart();
  await synchronized(link);
  expect(await link.waitForReady(5000)).toBe(true);
  link.close();
});

test('a gateway that leaves waits until each of its relays knows', async () => {
  const { gateway, open } = await setup(90);
  await using _ = gateway;
  await gateway.relays.leave();
  const link = await open();
  const { stream } = await synchronized(link);
  let isKnown = false;
  const left = gateway.relays.leave().then(() => {
    isKnown = true;
  });
  const [state] = (await once(stream, 'data')) as [SynchronizeResponse];
  expect([state.leaving, isKnown]).toEqual([true, false]);
  stream.write({ version: '', contract: 0, agents: [] });
  await left;
  link.close();
});

test('one that has time left is left as it is', async () => {
  const { gateway, identityDir, logged, open } = await setup(31);
  await using _ = gateway;
  const link = await open();
  await synchronized(link);
  expect([await daysLeft(identityDir), logged]).toEqual([31, []]);
  link.close();
});

test('a gateway that does not renew costs nothing: the relay goes on with what it has', async () => {
  const { gateway, identityDir, logged, open } = await setup(10, { kind: 'relay', name: 'unbound' });
  await using _ = gateway;
  const link = await open();
  await synchronized(link);
  await expect.poll(() => logged.length).toBe(1);
  expect(logged[0]).toMatchObject({
    msg: 'the certificate was not renewed',
    why: expect.stringContaining('unbound'),
  });
  expect(await daysLeft(identityDir)).toBe(10);
  link.close();
});

test('A-624: a relay whose renewal failed tries again, less and less often', async () => {
  const { gateway, logged, open } = await setup(10, { kind: 'relay', name: 'unbound' });
  await using _ = gateway;
  const link = await open({ retryMs: 30 });
  await synchronized(link);
  await expect.poll(() => logged.length, { timeout: 10_000, interval: 10 }).toBeGreaterThanOrEqual(5);
  expect(new Set(logged.map(({ msg }) => msg))).toEqual(new Set(['the certificate was not renewed']));
  link.close();
  const [, ...times] = logged.map(({ time }) => time);
  // The second may have been asked for; each one after it waits twice as long. A clock may be a little ahead of a timer.
  for (const [at, ms] of [60, 120, 240].entries())
    expect((times[at + 1] ?? 0) - (times[at] ?? 0)).toBeGreaterThan(ms - 10);
  const before = logged.length;
  await sleep(2000);
  // One may have been on its way.
  expect(logged.length).toBeLessThanOrEqual(before + 1);
});

test('A-624: a relay whose token ended with the key that signed it renews at once by another token', async () => {
  let authority = '';
  const state = () => ({ lockdown: false, agents: [], authority });
  const { gateway, logged, open } = await setup(90, relay, { state });
  await using _ = gateway;
  const link = await open({ retryMs: 60_000 });
  const told: string[] = [];
  // What failed before does not count once it worked.
  for (const _again of [1, 2]) {
    authority = '';
    await synchronized(link);
    gateway.keys.take(generateKeyPairSync('ed25519').privateKey, 0);
    authority = 'another';
    gateway.relays.tellAll();
    told.push('the certificate was not renewed', 'the certificate was renewed');
    await expect.poll(() => logged.map(({ msg }) => msg), { timeout: 20_000 }).toEqual(told);
  }
  link.close();
});

test('P20: a relay whose renewal comes too soon renews when the gateway says, and not before', async () => {
  const rates = { ...relayCallRates, renew: { atOnce: 1, perSecond: 0.5 } };
  const { gateway, identityDir, logged, open } = await setup(29, relay, { rates });
  await using _ = gateway;
  const first = await connectRelay({ address: gateway.address, identityDir });
  const { request: certificateRequest } = await makeCertificateRequest();
  await first.call(RelayServiceService.renew, { certificateRequest });
  first.close();
  const link = await open();
  await synchronized(link);
  await expect.poll(() => logged).toHaveLength(1);
  expect(logged[0]?.why).toContain('rate-limit');
  expect(await daysLeft(identityDir)).toBe(29);
  await expect.poll(() => daysLeft(identityDir)).toBe(90);
  await expect
    .poll(() => logged.map(({ msg }) => msg))
    .toEqual(['the certificate was not renewed', 'the certificate was renewed']);
  link.close();
});

test('P6: a renewed certificate is for whom the one before was', async () => {
  await using gateway: TestGateway = await startTestGateway();
  const identityDir = await gateway.identity(admin);
  const client = await connectGateway({ address: gateway.address, identityDir });
  await renew(client, identityDir);
  client.close();
  const { certificate } = await readIdentity(identityDir);
  const { subjectAltName } = new X509Certificate(certificate);
  expect(parsePeerName(subjectAltName)).toEqual({ kind: 'person', name: admin.name });
});
