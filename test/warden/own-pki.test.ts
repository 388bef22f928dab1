import { createPublicKey } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Link, openRenewingLink } from '../../shim/relay/control/renewing-link.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type Credentials, makeAuthority } from '../../src/pki/authority.ts';
import { identityFiles, readIdentity } from '../../src/pki/identity-files.ts';
import { issueClientCertificate, issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { makeKey } from '../../src/pki/keys.ts';
import { certificatesIn } from '../../src/pki/trust-print.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import { attempt } from '../lab/command.ts';
import { type GatewaySite, makeGatewaySite } from '../stack/gateway-site.ts';
import { launcher } from '../stack/launcher.ts';
import type { Program } from '../stack/program.ts';
import { commandsOver, edit, print, replaceDoor, shownAt, synchronize, wrong } from './door-files.ts';

const names = ['localhost', '127.0.0.1'];
const silent = pino({ level: 'silent' });

let dir = '';
let site: GatewaySite;
let program: Program;
let company: Credentials;
let link: Link;
const over = new AbortController();
const at = (name: string) => join(dir, name);
const audit = () => join(site.state, 'audit.jsonl');

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-own-pki-'));
  company = await makeAuthority('Company');
  await writeFile(at('root.pem'), company.certificate);
  await show(await issueServerCertificate(company, names));
  const agents = ['coder'].map((name) => ({ name, relay: 'host-1', users: ['1000:1000'], cwd: '/app' }));
  site = await makeGatewaySite(at('state'), {
    policy: sharedPolicy(),
    keys: { audit: 'audit.jsonl', agents },
  });
  await edit(site.config, ({ grpc }) =>
    Object.assign(grpc as object, { tls: { cert: at('door.pem'), key: at('door.key') } }),
  );
  program = await site.start();
  await edit(site.context, (context) => Object.assign(context, { trust: 'root.pem' }));
});
afterAll(async () => {
  over.abort();
  link?.close();
  await program?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const show = (pair: Credentials) => replaceDoor(dir, pair);
const shown = (address = site.grpcAddress) => shownAt(address);

function openLink(identityDir: string, trust: string | undefined = at('root.pem')): Promise<Link> {
  return openRenewingLink({ address: site.grpcAddress, identityDir, trust, log: silent });
}

const commands = (until: () => boolean) => commandsOver(link, audit(), until);

async function warnings(): Promise<string> {
  const admin = await connectGateway({
    address: site.grpcAddress,
    identityDir: join(site.state, 'admin'),
    trust: at('root.pem'),
  });
  const { warnings: told } = await admin.call(WardenServiceService.getStatus, {});
  admin.close();
  return told.join('\n');
}

async function canReach(identityDir: string, trust?: string): Promise<boolean> {
  const client = await connectGateway({ address: site.grpcAddress, identityDir, trust });
  const ready = await client.waitForReady(1500);
  client.close();
  return ready;
}

async function invite(): Promise<string> {
  return await site.newToken('host-1', ['coder']);
}

const enrolling = (token: string, name: string, ...more: string[]) =>
  site.cli([
    'relay',
    'enroll',
    '--token',
    token,
    '--gateway',
    site.enrollAddress,
    '--dir',
    at(name),
    ...more,
  ]);

test('A-127: a relay and a person enrol by a file of trust, and by the pin alone they do not: nothing was sent', async () => {
  const token = await invite();
  const refused = await enrolling(token, 'relay');
  expect([refused.code, refused.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('the server is not the gateway that the token was made by'),
  ]);
  expect((await enrolling(token, 'relay', '--trust', at('nothing.pem'))).stderr).toContain(
    'there is no such file',
  );
  // The same token works: it was not sent.
  expect(await enrolling(token, 'relay', '--trust', at('root.pem'))).toMatchObject({ code: 0 });
  const config = parse(await readFile(at('relay/relay.yaml'), 'utf8')) as Record<string, unknown>;
  expect(config['trust']).toBe(at('root.pem'));
  // The company's authority is not put among those of client certificates.
  const { authority } = await readIdentity(at('relay'));
  const own = await readFile(join(site.state, 'ca.pem'), 'utf8');
  expect(certificatesIn(authority.toString())).toEqual(certificatesIn(own));
  const added = await site.cli(['users', 'add', 'rita', '--role', 'viewer', '--json']);
  const { code } = JSON.parse(added.stdout) as { code: string };
  const asRita = (args: string[]) =>
    attempt([process.execPath, launcher, '--context', at('rita.yaml'), ...args]);
  const door = ['--gateway', site.enrollAddress, '--trust', at('root.pem')];
  expect(await asRita(['login', '--code', code, ...door])).toMatchObject({ code: 0 });
  expect(await asRita(['agents'])).toMatchObject({ code: 0 });
});

test("A-127: who trusts the gateway's own authority alone, or another one, does not take the company's certificate", async () => {
  await writeFile(at('other.pem'), (await makeAuthority('Company')).certificate);
  await writeFile(at('empty.pem'), 'nothing\n');
  expect(await canReach(at('relay'), at('root.pem'))).toBe(true);
  expect(await canReach(at('relay'))).toBe(false);
  expect(await canReach(at('relay'), at('other.pem'))).toBe(false);
  await expect(canReach(at('relay'), at('empty.pem'))).rejects.toThrow('it holds no certificate');
});

test("A-127 P5: a client certificate of the company's authority is refused, whatever it names", async () => {
  for (const [peer, own] of [
    [{ kind: 'relay', name: 'host-1' }, at('relay')],
    [{ kind: 'person', name: 'admin' }, join(site.state, 'admin')],
  ] as const) {
    const forged = at(`forged-${peer.name}`);
    const key = makeKey();
    await mkdir(forged);
    await writeFile(join(forged, identityFiles.key), key);
    // With the authority behind it, as the door shows its own.
    const leaf = await issueClientCertificate(company, peer, createPublicKey(key));
    await writeFile(join(forged, identityFiles.certificate), leaf + company.certificate);
    await cp(join(own, identityFiles.authority), join(forged, identityFiles.authority));
    const client = await connectGateway({
      address: site.grpcAddress,
      identityDir: forged,
      trust: at('root.pem'),
    });
    await expect(client.call(WardenServiceService.getStatus, {})).rejects.toThrow(/UNAVAILABLE|DEADLINE/);
    client.close();
    expect(await canReach(own, at('root.pem'))).toBe(true);
  }
});

test('A-127: other files come into force under open streams, and nothing is lost; bad ones do not, and are told', {
  timeout: 180_000,
}, async () => {
  link = await openLink(at('relay'));
  void synchronize(link, over.signal);
  expect(await link.waitForReady(20_000)).toBe(true);
  const admin = await connectGateway({
    address: site.grpcAddress,
    identityDir: join(site.state, 'admin'),
    trust: at('root.pem'),
  });
  const stream = admin.watchApprovals();
  let ended = false;
  stream
    .on('data', () => {})
    .on('error', () => {
      ended = true;
    });
  let done = false;
  const load = commands(() => done);
  const next = await issueServerCertificate(company, names);
  const before = await shown();
  await show(next);
  await expect.poll(() => shown(), { interval: 100 }).toBe(print(next));
  expect(print(next)).not.toBe(before);

  const [stranger, other] = [await makeAuthority('x'), await issueServerCertificate(company, names)];
  const clientKey = makeKey();
  const peer = { kind: 'relay', name: 'host-1' } as const;
  const expired = { notBefore: new Date(Date.now() - 9e8), notAfter: new Date(Date.now() - 1e6) };
  const early = { notBefore: new Date(Date.now() + 1e7), notAfter: new Date(Date.now() + 9e8) };
  const clientOf = (period?: typeof early) =>
    issueClientCertificate(company, peer, createPublicKey(clientKey), period);
  const bad: readonly (readonly [Credentials, string])[] = [
    [{ ...next, certificate: '' }, 'it holds no certificate'],
    [
      { ...next, certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      `${at('door.pem')}: `,
    ],
    [{ ...next, key: 'no key' }, `${at('door.key')}: `],
    [{ ...next, key: other.key }, `it is not the key of ${at('door.pem')}`],
    [{ certificate: stranger.certificate, key: next.key }, `it is not the key of ${at('door.pem')}`],
    [{ certificate: await clientOf(expired), key: clientKey }, 'it expired on'],
    [{ certificate: await clientOf(early), key: clientKey }, 'it is not valid before'],
    [{ certificate: await clientOf(), key: clientKey }, 'its certificate is not one of a server'],
  ];
  for (const [files, why] of bad) {
    await show(files);
    await expect.poll(warnings, { interval: 100 }).toContain(why);
    expect(await warnings()).toMatch(/grpc\.tls: .*the last good certificate is in force/);
    expect([why, await shown()]).toEqual([why, print(next)]);
  }
  expect(await readFile(site.log, 'utf8')).toContain('a certificate is not in force, the last good one is');
  const { stdout: doctor } = await site.cli(['doctor', '--config', site.config]);
  expect(doctor).toMatch(/certificate: grpc\.tls: /);
  // It is open while a token that was used may be asked with again.
  expect(await shown(site.enrollAddress)).toBe(print(next));

  await rm(at('door.key'));
  await expect.poll(warnings, { interval: 100 }).toContain('there is no such file');
  await show(other);
  await expect.poll(() => shown(), { interval: 100 }).toBe(print(other));
  await expect.poll(warnings, { interval: 100 }).not.toContain('grpc.tls');
  done = true;
  const all = await load;
  expect(wrong(all)).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
  expect(ended).toBe(false);
  admin.close();
});

test('A-57 A-127: a certificate of the company for another name is not taken', async () => {
  const [wrongName, right] = [
    await issueServerCertificate(company, ['other.example']),
    await issueServerCertificate(company, names),
  ];
  await show(wrongName);
  await expect.poll(() => shown(), { interval: 100 }).toBe(print(wrongName));
  expect(await canReach(at('relay'), at('root.pem'))).toBe(false);
  await show(right);
  await expect.poll(() => shown(), { interval: 100 }).toBe(print(right));
  expect(await canReach(at('relay'), at('root.pem'))).toBe(true);
});

test('A-127 P15: `ca rotate` moves those who hold client certificates, and leaves the doors as they are', {
  timeout: 120_000,
}, async () => {
  const door = await shown();
  const [pinned, count] = [
    await invite(),
    async () => certificatesIn((await readIdentity(at('relay'))).authority.toString()).length,
  ];
  const rotated = await site.cli(['ca', 'rotate', '--overlap', '6s', '--json']);
  expect([rotated.code, rotated.stderr]).toEqual([0, '']);
  const until = Date.parse((JSON.parse(rotated.stdout) as { formerUntil: string }).formerUntil);
  await expect.poll(count).toBe(2);
  expect(await shown()).toBe(door);
  const load = commands(() => Date.now() > until + 1500);
  expect(wrong(await load)).toEqual([]);
  await expect.poll(count).toBe(1);
  expect(await shown()).toBe(door);
  // Pins the former authority alone, which counts no more.
  expect((await enrolling(pinned, 'late', '--trust', at('root.pem'))).stderr).toContain(
    'the token is of an authority that does not count any more',
  );
  await expect(readIdentity(at('late'))).rejects.toThrow('ENOENT');
  expect(await enrolling(await invite(), 'late', '--trust', at('root.pem'))).toMatchObject({ code: 0 });
});

test('A-127: a relay reads its file of trust again when it cannot reach the gateway, and goes on by it', {
  timeout: 120_000,
}, async () => {
  const second = await makeAuthority('Company 2');
  await writeFile(at('trust.pem'), company.certificate);
  const own = await openLink(at('relay'), at('trust.pem'));
  const stop = new AbortController();
  void synchronize(own, stop.signal);
  expect(await own.waitForReady(20_000)).toBe(true);
  await program.end('SIGKILL');
  await show(await issueServerCertificate(second, names));
  program = await site.start();
  expect(await own.waitForReady(3000)).toBe(false);
  await writeFile(at('trust.pem'), second.certificate);
  expect(await own.waitForReady(60_000)).toBe(true);
  stop.abort();
  own.close();
});

test('A-127: a start by files that cannot be used ends with one line that names the file', async () => {
  await program.end('SIGTERM');
  const other = await issueServerCertificate(company, names);
  await writeFile(at('door.key'), other.key);
  await expect(site.start()).rejects.toThrow(`grpc.tls: ${at('door.key')}: it is not the key of`);
});
