import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Credentials, endingAuthority, makeAuthority } from '../../src/pki/authority.ts';
import { issueClientCertificate, issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { certificatesIn } from '../../src/pki/trust-print.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { takeDueAuthority } from '../keys/authority-files.ts';
import { openAuthorities } from '../keys/rotate-authority.ts';
import { openUnmoved } from '../keys/unmoved.ts';
import { openDatabase } from '../store/database.ts';
import { loadGatewayIdentity } from './gateway-identity.ts';

const by = { kind: 'person', name: 'ann', role: 'admin', scope: {} } as const;

let dir: string;
const at = (name: string) => join(dir, name);
const next = stateFiles.nextAuthority;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-authorities-'));
  const authority = await makeAuthority('Test CA');
  const server = await issueServerCertificate(authority, ['localhost', 'a.example', '127.0.0.1', '::1']);
  const signing = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const made = {
    [stateFiles.gatewayId]: 'gw-1\n',
    [stateFiles.authority]: authority.certificate,
    [stateFiles.authorityKey]: authority.key,
    [stateFiles.server]: server.certificate + authority.certificate,
    [stateFiles.serverKey]: server.key,
    [stateFiles.signingKey]: signing,
  };
  for (const [name, text] of Object.entries(made)) writeFileSync(at(name), text, { mode: 0o600 });
});
afterEach(() => rm(dir, { recursive: true }));

/** What a start does with the folder. */
async function start() {
  takeDueAuthority(dir);
  const identity = loadGatewayIdentity(dir);
  const database = await openDatabase(at('clawrden.db'), 'crash');
  const records: AuditRecord[] = [];
  const disk = { isFull: false };
  const append = async (record: AuditRecord) => {
    if (disk.isFull) throw new Error('no room');
    records.push(record);
  };
  const unmoved = await openUnmoved(database);
  const live = await openAuthorities({
    ...{ folder: dir, gatewayId: 'gw-1', first: identity, audit: { append }, unmoved },
  });
  const stop = async () => {
    live[Symbol.dispose]();
    await database.destroy();
  };
  const rotate = async (overlapMs: number) => {
    const rotated = await live.rotate({ overlapMs, reason: '' }, by);
    if ('refused' in rotated) throw new Error(rotated.refused);
    return rotated.value;
  };
  return { ...live, records, disk, rotate, stop, unmoved, database };
}

async function certificateBy(authority: Credentials): Promise<X509Certificate> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new X509Certificate(
    await issueClientCertificate(authority, { kind: 'relay', name: 'a' }, publicKey),
  );
}

const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;
const keyOf = (pem: string) => new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'pem' });

/** Why a client that trusts `ca` does not take this server; empty if it does. */
async function whyNotTaken(ca: string, { certificate: cert, key }: Credentials): Promise<string> {
  const server = createServer({ cert, key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca });
  const why = await once(socket, 'secureConnect').then(
    () => '',
    ({ code }: NodeJS.ErrnoException) => code ?? 'no code',
  );
  socket.destroy();
  server.close();
  return why;
}

test('P6: both count in the overlap, the door keeps its certificate till its end, and then all of it is of the new one', async () => {
  const live = await start();
  const { authorities } = live;
  const [former, door] = [authorities.present(), authorities.server()];
  const [old, fresh] = [await certificateBy(former), async () => await certificateBy(authorities.present())];
  // A connection is let in before anybody thinks of a rotation.
  const held = authorities.signed(old).life;
  const { formerUntil } = await live.rotate(600);
  expect([authorities.server(), authorities.pins()].flat()).toHaveLength(3);
  expect(authorities.server()).toBe(door);
  expect(certificatesIn(authorities.trusted()).map(keyOf)).toEqual(
    [former, authorities.present()].map(({ certificate }) => keyOf(certificate)),
  );
  expect([held.isOver(), authorities.signed(await fresh()).life.isOver()]).toEqual([false, false]);
  await expect.poll(() => authorities.pins().length, { interval: 20 }).toBe(1);
  expect(Date.now()).toBeGreaterThanOrEqual(formerUntil);
  expect([held.hasRunOut(), authorities.signed(old).life.isOver()]).toEqual([true, true]);
  expect(authorities.signed(await fresh())).toMatchObject({ isPresent: true });
  expect(authorities.signed(await certificateBy(await makeAuthority('Test CA'))).life.isOver()).toBe(true);
  await expect
    .poll(() => live.records.map((record) => 'event' in record && record.event))
    .toEqual(['rotated', 'stopped']);
  const names = (chain: string) => new X509Certificate(chain).subjectAltName;
  expect(names(authorities.server().certificate)).toBe(names(door.certificate));
  await live.stop();
  expect(existsSync(at(next))).toBe(false);
  const again = await start();
  expect(serialOf(again.authorities.present().certificate)).toBe(serialOf(authorities.present().certificate));
  // And it can be rotated again.
  await again.rotate(60_000);
  await again.stop();
});

test('P6: a restart in the overlap keeps both, and one behind its end has the new one alone', async () => {
  const before = await start();
  const former = before.authorities.present();
  await before.rotate(1000);
  const [present, trusted] = [before.authorities.present(), before.authorities.trusted()];
  await before.stop();
  const within = await start();
  expect(within.authorities.trusted()).toBe(trusted);
  expect(within.authorities.server().certificate).toContain(former.certificate);
  await expect(within.rotate(1000)).rejects.toThrow('a rotation is under way until ');
  await within.stop();
  writeFileSync(at(`${next}/until`), '2020-01-01T00:00:00.000Z\n');
  const behind = await start();
  expect(behind.authorities.trusted()).toBe(present.certificate);
  expect(loadGatewayIdentity(dir).server.certificate).toContain(present.certificate);
  await behind.stop();
});

test('A-426 P6: who moved and is away at the end of the overlap trusts the former authority no longer', async () => {
  const live = await start();
  const [former, door] = [live.authorities.present(), live.authorities.server()];
  const { formerUntil } = await live.rotate(1000);
  const moved = live.authorities.trusted();
  expect(await whyNotTaken(moved, door)).toBe('');
  await expect.poll(() => whyNotTaken(moved, door), { interval: 100 }).toBe('CERT_HAS_EXPIRED');
  expect(Date.now()).toBeGreaterThanOrEqual(formerUntil);
  // Who stole its key can make any chain of it.
  const { certificate, key } = await issueServerCertificate(former, ['localhost']);
  const tomorrow = await endingAuthority(former, new Date(Date.now() + 86_400_000));
  for (const above of ['', former.certificate, tomorrow])
    expect(await whyNotTaken(moved, { certificate: certificate + above, key })).toBe('CERT_HAS_EXPIRED');
  expect(await whyNotTaken(moved, live.authorities.server())).toBe('');
  await live.stop();
});

test('who enrols by a token of before the rotation gets the former authority as that token knows it, too', async () => {
  const live = await start();
  const { authorities } = live;
  const [former, before] = [authorities.present(), authorities.pins()];
  await live.rotate(60_000);
  expect(authorities.trustedBy(before)).toBe(former.certificate + authorities.trusted());
  expect(authorities.trustedBy(authorities.pins())).toBe(authorities.trusted());
  await live.stop();
});

test('an overlap that an earlier release began goes on as it was', async () => {
  const before = await start();
  const former = before.authorities.present();
  await before.rotate(60_000);
  const present = before.authorities.present();
  await before.stop();
  await rm(at(`${next}/former.pem`));
  const live = await start();
  expect(live.authorities.trusted()).toBe(former.certificate + present.certificate);
  expect(live.authorities.trustedBy([])).toBe(live.authorities.trusted());
  await live.stop();
});

describe('A-85 P6: a rotation that is cut off', () => {
  test('before it is in force leaves nothing, and the audit says so', async () => {
    const former = serialOf(loadGatewayIdentity(dir).authority.certificate);
    mkdirSync(at(`${next}.new`));
    writeFileSync(at(`${next}.new/${stateFiles.authority}`), 'half of');
    const live = await start();
    expect(readdirSync(dir).filter((name) => name.startsWith(next))).toEqual([]);
    expect(serialOf(live.authorities.present().certificate)).toBe(former);
    expect(live.records).toMatchObject([{ type: 'authority', event: 'withdrawn' }]);
    await live.stop();
  });

  const names = [stateFiles.authority, stateFiles.authorityKey, stateFiles.server, stateFiles.serverKey];
  test.each([0, 1, 2, 3, 4])(
    'while its files take their places, behind the %s. of them, is finished by the next start',
    async (done) => {
      const before = await start();
      await before.rotate(60_000);
      const present = serialOf(before.authorities.present().certificate);
      await before.stop();
      writeFileSync(at(`${next}/until`), '2020-01-01T00:00:00.000Z\n');
      for (const name of names.slice(0, done)) renameSync(at(`${next}/${name}`), at(name));
      if (done === 4) await rm(at(`${next}/until`));
      const live = await start();
      expect(serialOf(live.authorities.trusted())).toBe(present);
      expect(existsSync(at(next))).toBe(false);
      await live.stop();
    },
  );

  test('by a full disk changes nothing', async () => {
    const live = await start();
    const former = live.authorities.trusted();
    live.disk.isFull = true;
    await expect(live.rotate(60_000)).rejects.toThrow('nothing has changed');
    expect(live.authorities.trusted()).toBe(former);
    live.disk.isFull = false;
    await live.rotate(60_000);
    await live.stop();
  });
});

test('who has not moved is told by name, over a restart, until all have or the overlap ends', async () => {
  const live = await start();
  for (const principal of ['relay:a', 'relay:b'])
    await live.database.insertInto('enrolled').values({ principal }).execute();
  await live.rotate(60_000);
  expect(live.warnings().join()).toContain('; not moved yet: relay:a, relay:b');
  live.unmoved.moved('relay:a');
  await expect.poll(() => live.database.selectFrom('unmoved').selectAll().execute()).toHaveLength(1);
  await live.stop();
  const again = await start();
  expect(again.warnings().join()).toContain('; not moved yet: relay:b');
  again.unmoved.moved('relay:b');
  expect(again.warnings().join()).toContain('; everybody has moved');
  await again.stop();
});

test('the folder of a copy is as good as the folder', async () => {
  const live = await start();
  await live.rotate(60_000);
  const trusted = live.authorities.trusted();
  await live.stop();
  await cp(at(next), at('kept'), { recursive: true });
  await rm(at(next), { recursive: true });
  await cp(at('kept'), at(next), { recursive: true });
  const again = await start();
  expect(again.authorities.trusted()).toBe(trusted);
  await again.stop();
});
