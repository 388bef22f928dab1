import { X509Certificate } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Link, openRenewingLink } from '../../shim/relay/control/renewing-link.ts';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { certificatesIn } from '../../src/pki/trust-print.ts';
import { second } from '../stack/second-person.ts';
import { type Mirrored, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const overlapSeconds = isLong ? 30 : 8;
const perSecond = 20;

let gateway: RealGateway;
let link: Link;
/** Over how many connections the gateway has answered to the relay. */
let sessions = 0;
const over = new AbortController();
const folderOf = (name: string) => join(gateway.state, '..', name);

beforeAll(async () => {
  gateway = await startRealGateway();
  const log = pino({ level: 'silent' });
  link = await openRenewingLink({ address: gateway.address, identityDir: gateway.relayFolder, log });
  void synchronize(link, over.signal);
  await link.waitForReady(20_000);
});
afterAll(async () => {
  over.abort();
  link?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/** As a relay does: one stream at a time, and the next one as soon as there is another certificate. */
async function synchronize(from: Link, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const opened = await from.synchronize(5000);
    if (opened === undefined) continue;
    const ended = new Promise((resolve) => opened.stream.on('error', () => {}).once('status', resolve));
    opened.stream.once('data', () => {
      sessions += 1;
    });
    await Promise.race([ended, opened.renewed]);
    await sleep(20);
  }
}

async function authoritiesOf(folder: string): Promise<number> {
  return certificatesIn((await readIdentity(folder)).authority.toString()).length;
}

/** Twenty commands a second until `until` says so; resolves when the last one has ended. */
async function underLoad(until: () => boolean): Promise<Mirrored[]> {
  const all: Mirrored[] = [];
  const ends: Promise<void>[] = [];
  const began = performance.now();
  for (let i = 0; !until(); i += 1) {
    await sleep(Math.max(0, began + (i * 1000) / perSecond - performance.now()));
    const command = newMirrored();
    all.push(command);
    ends.push(play(link as unknown as GatewayClient, command, { tool: 'run' }, gateway.audit));
  }
  await Promise.all(ends);
  return all;
}

const wrong = (all: readonly Mirrored[]) =>
  all.filter(({ starts, outcome, broken }) => starts !== 1 || outcome?.code !== 7 || broken !== '');

/** A stream that is open, and when it ends. */
async function openStream(client: GatewayClient): Promise<{ readonly endedAt: () => number }> {
  let endedAt = 0;
  const stream = client.watchApprovals();
  const first = Promise.withResolvers<void>();
  stream.on('data', () => first.resolve());
  stream.on('error', () => {
    endedAt = Date.now();
  });
  await first.promise;
  return { endedAt: () => endedAt };
}

/** What the gateway's log has of ended connections and renewals, by their time from that moment on. */
async function endsAround(moment: number): Promise<string> {
  const lines = (await readFile(gateway.log, 'utf8'))
    .split('\n')
    .filter((line) => /ended|renewed/.test(line));
  return lines.map((line) => `${Number(/"time":(\d+)/.exec(line)?.[1]) - moment} ms: ${line}`).join('\n');
}

async function invite(): Promise<string> {
  const admin = await gateway.admin();
  const wanted = { relay: 'host-1', agents: ['coder'], ttl: 0 };
  const { token } = await admin.call(WardenServiceService.createEnrolmentToken, wanted);
  admin.close();
  return token;
}

async function warnings(): Promise<string> {
  const admin = await gateway.admin();
  const { warnings: told } = await admin.call(WardenServiceService.getStatus, {});
  admin.close();
  return told.join('\n');
}

test(`P6 P15: the authority is rotated under ${perSecond} executions a second: none is lost, none is doubled, and who is told moves; the old one stops at the stated moment`, {
  timeout: 180_000,
}, async () => {
  const [secondFolder, stolen] = [join(gateway.state, second), folderOf('stolen')];
  await cp(gateway.relayFolder, stolen, { recursive: true });
  const slow = await connectGateway({ address: gateway.address, identityDir: secondFolder });
  const stream = await openStream(slow);
  const [inTime, late] = [await invite(), await invite()];
  let until = Number.POSITIVE_INFINITY;
  const load = underLoad(() => Date.now() > until + 1500);
  const overlap = `${overlapSeconds}s`;
  const told = await gateway.cli('ca', 'rotate', '--overlap', overlap, '--json');
  expect([told.code, told.stderr]).toEqual([0, '']);
  const { formerUntil, fingerprint } = JSON.parse(told.stdout) as Record<string, string>;
  until = Date.parse(formerUntil ?? '');
  // All that is told moves at once: the relay over its stream, who rotated by the next call.
  await expect.poll(() => authoritiesOf(gateway.relayFolder)).toBe(2);
  expect(await authoritiesOf(join(gateway.state, 'admin'))).toBe(2);
  const [former = ''] = certificatesIn((await readIdentity(gateway.relayFolder)).authority.toString());
  const trustedFor = new X509Certificate(former).validToDate.getTime() - until;
  expect(trustedFor).toBeGreaterThanOrEqual(1000);
  expect(trustedFor).toBeLessThan(3000);
  expect(await warnings()).toContain(`counts until ${formerUntil}; not moved yet: person:${second}`);
  const enrol = (token: string, name: string) =>
    enroll({ address: gateway.enrollAddress, token, as: 'relay', identityDir: folderOf(name) });
  await expect.poll(() => sessions).toBe(2);
  const both = await invite();
  await enrol(inTime, 'in-time');
  expect(await authoritiesOf(folderOf('in-time'))).toBe(2);
  expect(stream.endedAt()).toBe(0);
  expect(Date.now()).toBeLessThan(until);
  const all = await load;
  const lost = wrong(all);
  expect(lost.length === 0 ? '' : `${JSON.stringify(lost)}\n${await endsAround(until)}`).toBe('');
  expect(all.length).toBeGreaterThan(overlapSeconds * 10);

  expect(stream.endedAt()).toBeGreaterThanOrEqual(until);
  slow.close();
  for (const folder of [secondFolder, stolen]) {
    const client = await connectGateway({ address: gateway.address, identityDir: folder });
    expect(await client.waitForReady(1000)).toBe(false);
    client.close();
  }
  // Nobody who moved trusts the old one any more: it cannot stand for the gateway.
  await expect.poll(() => authoritiesOf(gateway.relayFolder)).toBe(1);
  const trusted = (await readIdentity(gateway.relayFolder)).authority.toString();
  const present = await readFile(join(gateway.state, 'ca.pem'), 'utf8');
  expect(new X509Certificate(trusted).fingerprint256).toBe(new X509Certificate(present).fingerprint256);
  expect(await warnings()).not.toContain('authority');
  // A token of the overlap pins both authorities, and one of before the former alone.
  await enrol(both, 'both');
  expect(await authoritiesOf(folderOf('both'))).toBe(1);
  await expect(enrol(late, 'late')).rejects.toThrow('not the gateway that the token was made by');
  expect(await readFile(gateway.audit, 'utf8')).toContain(`"event":"rotated","fingerprint":"${fingerprint}"`);
  expect(await readFile(gateway.audit, 'utf8')).toContain(`"event":"stopped","fingerprint":"${fingerprint}"`);

  await gateway.end('SIGKILL');
  await gateway.start();
  expect(await link.waitForReady(30_000)).toBe(true);
  const last = newMirrored();
  await play(link as unknown as GatewayClient, last, { tool: 'run' }, gateway.audit);
  expect(wrong([last])).toEqual([]);
  expect((await gateway.cli('agents')).code).toBe(0);
});
