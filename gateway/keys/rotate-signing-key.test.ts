import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { keyText } from '../../src/audit/hand-over.ts';
import { type AuditReport, verifyAudit } from '../../src/audit/verify-audit.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import type { NewSigningKey } from '../ports/rotations.ts';
import { openRecords, type Records } from '../start/open-records.ts';
import { createRotateSigningKey } from './rotate-signing-key.ts';

const by = { kind: 'person', name: 'ann', role: 'admin', scope: {} } as const;

let dir: string;
const at = (name: string) => join(dir, name);
const keyFile = () => at(stateFiles.signingKey);
const nextFile = () => at(stateFiles.nextSigningKey);
const keyIn = (file: string) => createPrivateKey(readFileSync(file));
const database = ['clawrden.db', 'clawrden.db-wal', 'clawrden.db-shm'];

function putNewKey(file: string): void {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-keys-'));
  putNewKey(keyFile());
});
afterEach(() => rm(dir, { recursive: true }));

interface Life extends Records {
  readonly rotate: (overlapMs?: number) => Promise<NewSigningKey>;
}

async function start(): Promise<Life> {
  const config = { state: dir, audit: at('audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  const records = await openRecords(config, keyIn(keyFile()), 'test');
  const rotate = createRotateSigningKey({ ...records, folder: dir });
  return {
    ...records,
    rotate: async (overlapMs = 60_000) => {
      const rotated = await rotate({ overlapMs, reason: 'yearly' }, by);
      if ('refused' in rotated) throw new Error(rotated.refused);
      return rotated.value;
    },
  };
}

async function verified(key = keyIn(keyFile())): Promise<AuditReport> {
  return await verifyAudit(await auditFiles(at('audit.jsonl')), { key });
}

/** What it accepts, as texts: the present key is the first. */
const accepted = ({ keys }: Life) => keys.accepted().map(keyText);

test('P25: two rotations, with a restart between them, and one verifier for all of it: the newest key, or the first', async () => {
  const first = keyIn(keyFile());
  const before = await start();
  const made = await before.rotate();
  expect(keyText(createPublicKey(made.publicKey))).toBe(keyText(keyIn(keyFile())));
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  expect(existsSync(nextFile())).toBe(false);
  expect(accepted(before)).toEqual([keyText(keyIn(keyFile())), keyText(first)]);
  await before.close();
  const after = await start();
  // The overlap outlives the restart.
  expect(accepted(after)).toEqual(accepted(before));
  await after.rotate();
  expect(accepted(after)).toHaveLength(3);
  await after.close();
  for (const key of [first, keyIn(keyFile())]) {
    const report = await verified(key);
    expect(report).toMatchObject({ rotations: 2, vouchedFor: report.records });
    expect(report.problem).toBeUndefined();
  }
});

test('P5: what a former key signed counts until the stated moment, over a restart, and no longer than a later rotation says', async () => {
  const before = await start();
  await before.rotate(3_600_000);
  await before.rotate(0);
  expect(accepted(before)).toHaveLength(1);
  await before.close();
  const after = await start();
  expect(accepted(after)).toEqual([keyText(keyIn(keyFile()))]);
  const { formerUntil } = await after.rotate(80);
  await expect.poll(() => accepted(after).length, { interval: 5 }).toBe(1);
  expect(Date.now()).toBeGreaterThanOrEqual(formerUntil);
  await after.close();
});

test('eight former keys at once are refused in one line; one that has ended makes room', async () => {
  const life = await start();
  for (let i = 0; i < 8; i += 1) await life.rotate();
  await expect(life.rotate(0)).rejects.toThrow(
    '8 former keys still count; rotate again when one of them ended',
  );
  await life.close();
});

test('P25: rotations at the same time come one after the other', async () => {
  const life = await start();
  const made = await Promise.all([life.rotate(), life.rotate(), life.rotate()]);
  expect(new Set(made.map(({ publicKey }) => publicKey)).size).toBe(3);
  await life.close();
  expect(await verified()).toMatchObject({ rotations: 3 });
});

test('P25: a next key that no record names is given up; one that a record names is taken up, also without its row', async () => {
  putNewKey(nextFile());
  const unnamed = keyText(keyIn(nextFile()));
  const before = await start();
  expect(existsSync(nextFile())).toBe(false);
  expect(accepted(before)).not.toContain(unnamed);
  await cp(keyFile(), at('former'));
  await before.rotate();
  await before.database.deleteFrom('signing_keys').execute();
  await before.close();
  // As a kill behind the record leaves it.
  await cp(keyFile(), nextFile());
  await cp(at('former'), keyFile());
  const after = await start();
  expect(existsSync(nextFile())).toBe(false);
  expect(accepted(after)).toEqual([keyText(keyIn(keyFile())), keyText(keyIn(at('former')))]);
  expect(after.audit.warnings()).toEqual([]);
  await after.rotate();
  await after.close();
  expect((await verified()).problem).toBeUndefined();
});

test('P25: a lost or older database gets the keys from the audit', async () => {
  const before = await start();
  await before.rotate();
  await sql`vacuum into ${sql.lit(at('older'))}`.execute(before.database);
  await before.rotate();
  const known = accepted(before);
  await before.close();
  for (const older of [true, false]) {
    for (const name of database) await rm(at(name), { force: true });
    if (older) await cp(at('older'), at('clawrden.db'));
    const after = await start();
    expect(accepted(after)).toEqual(known);
    await after.close();
  }
  expect((await verified()).problem).toBeUndefined();
});

test('P25: an older signing key is refused at the start, in one line that says which one is meant', async () => {
  await cp(keyFile(), at('older'));
  const before = await start();
  await before.rotate();
  await before.close();
  const records = (await verified()).records;
  await cp(keyFile(), at('newer'));
  await cp(at('older'), keyFile());
  await expect(start()).rejects.toThrow(
    /signing-key.pem: it is not the key that signs since 20.*Z, when person:ann rotated it; restore it from a backup/,
  );
  // The start that was refused has signed and recorded nothing.
  expect(await verified(keyIn(at('newer')))).toMatchObject({ records, vouchedFor: records });
});

test('P25: a next key that cannot be read is refused, and not overwritten', async () => {
  writeFileSync(nextFile(), 'garbage');
  await expect(start()).rejects.toThrow(/signing-key.next.pem: it holds no Ed25519 key .* remove it/);
  expect(readFileSync(nextFile(), 'utf8')).toBe('garbage');
});
