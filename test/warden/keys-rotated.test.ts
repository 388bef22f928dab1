import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { openChannel } from '../../src/gateway-client/open-channel.ts';
import { unaryCall } from '../../src/gateway-client/unary-call.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { type Mirrored, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const seconds = isLong ? 60 : 3;
const perSecond = 20;

let gateway: RealGateway;

beforeAll(async () => {
  gateway = await startRealGateway();
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

/** With a JWT of its own: one that was fetched before a rotation may count no more. */
async function asAdmin<Result>(work: (admin: GatewayClient) => Promise<Result>): Promise<Result> {
  const admin = await gateway.admin();
  try {
    return await work(admin);
  } finally {
    admin.close();
  }
}

const rotate = (overlap: number) =>
  asAdmin((admin) => admin.call(WardenServiceService.rotateSigningKey, { overlap, reason: 'test' }));

const invite = () =>
  asAdmin(async (admin) => {
    const wanted = { relay: 'host-1', agents: ['coder'], ttl: 0 };
    return (await admin.call(WardenServiceService.createEnrolmentToken, wanted)).token;
  });

async function verified(key = 'signing-key.pem') {
  const trusted = createPrivateKey(readFileSync(join(gateway.state, key)));
  return await verifyAudit(await auditFiles(gateway.audit), { key: trusted });
}

/** Twenty commands a second; resolves with all of them when the last one has ended. */
async function underLoad(relay: GatewayClient, meanwhile: () => Promise<unknown>): Promise<Mirrored[]> {
  const all: Mirrored[] = [];
  const ends: Promise<void>[] = [];
  const began = performance.now();
  const work = meanwhile();
  for (let i = 0; i < seconds * perSecond; i += 1) {
    await sleep(Math.max(0, began + (i * 1000) / perSecond - performance.now()));
    const command = newMirrored();
    all.push(command);
    ends.push(play(relay, command, { tool: 'run' }, gateway.audit));
  }
  await Promise.all([...ends, work]);
  return all;
}

const wrong = (all: readonly Mirrored[]) =>
  all.filter(({ starts, outcome, broken, unaudited }) =>
    [starts !== 1, outcome?.code !== 7, broken !== '', unaudited.length > 0].includes(true),
  );

test(`P15 P25: two rotations of the signing key under ${perSecond} executions a second lose none and double none, and the audit is vouched for`, {
  timeout: 120_000,
}, async () => {
  const relay = await gateway.relay();
  const all = await underLoad(relay, async () => {
    for (const _ of [1, 2]) {
      await sleep((seconds * 1000) / 3);
      await rotate(3600);
    }
  });
  expect(wrong(all)).toEqual([]);
  expect(all).toHaveLength(seconds * perSecond);
  relay.close();
  const { problem, rotations } = await verified();
  expect({ problem, rotations }).toEqual({ problem: undefined, rotations: 2 });
});

/** A connection with a JWT that was fetched now, and does not change. */
async function withToken(identityDir: string) {
  const { authority, certificate, key } = await readIdentity(identityDir);
  const client = openChannel(gateway.address, { authority, certificate, key });
  const { token } = await unaryCall(client, RelayServiceService.token, {});
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const bearer = credentials.createFromMetadataGenerator((_call, done) => done(null, metadata));
  const code = async () => {
    const call = unaryCall(client, WardenServiceService.getStatus, {}, { credentials: bearer });
    return await call.then(
      () => status.OK,
      (error: { code: status }) => error.code,
    );
  };
  return { code, [Symbol.dispose]: () => client.close() };
}

test('P5: JWTs and codes of the former key count until the stated moment and not longer; those of the next one go on', async () => {
  using former = await withToken(join(gateway.state, 'admin'));
  const [inTime, late] = [await invite(), await invite()];
  const { formerUntil } = await rotate(5);
  using present = await withToken(join(gateway.state, 'admin'));
  const made = await invite();
  const left = () => Date.parse(formerUntil) - Date.now();
  expect(await former.code()).toBe(status.OK);
  const enrol = (token: string, name: string) =>
    enroll({
      ...{ address: gateway.enrollAddress, token, as: 'relay' },
      identityDir: join(gateway.state, '..', name),
    } as const);
  await enrol(inTime, 'in-time');
  expect(left()).toBeGreaterThan(0);
  await expect.poll(former.code, { interval: 50 }).toBe(status.UNAUTHENTICATED);
  expect(left()).toBeLessThanOrEqual(0);
  expect(left()).toBeGreaterThan(-2000);
  expect(await present.code()).toBe(status.OK);
  await expect(enrol(late, 'late')).rejects.toThrow('the token is not valid');
  await enrol(made, 'made');
});

test('P25: keys rotate prints the key for verifiers; a gateway that is killed then starts with it, and the log is vouched for', async () => {
  const { code, stdout, stderr } = await gateway.cli('keys', 'rotate', '--now', '--reason', 'stolen');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('another key signs; tokens and codes of the former ones count no more');
  expect(stdout).toContain('-----BEGIN PUBLIC KEY-----');
  await gateway.end('SIGKILL');
  await gateway.start();
  await gateway.end('SIGTERM');
  const report = await verified();
  expect(report).toMatchObject({ rotations: 4, vouchedFor: report.records });
  const { stdout: told } = await gateway.cli('audit', 'verify', gateway.audit);
  expect(told).toMatch(new RegExp(`signing keys +5\\n.*vouched for +records 1 to ${report.records}\\n`));
  expect(readFileSync(gateway.audit, 'utf8')).toContain('"by":"person:admin","reason":"stolen"');
});
