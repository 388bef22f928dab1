import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Credentials, makeAuthority } from './authority.ts';
import {
  dropStagedKey,
  identityFiles,
  readIdentity,
  stageIdentityFile,
  takeStagedIdentity,
} from './identity-files.ts';
import { issueClientCertificate } from './issue-certificate.ts';
import { makeKey } from './keys.ts';

let authority: Credentials;
let folder: string;

beforeAll(async () => {
  authority = await makeAuthority('test');
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-identity-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function stage(): Promise<string> {
  const key = makeKey();
  const peer = { kind: 'relay', name: 'r' } as const;
  const certificate = await issueClientCertificate(authority, peer, createPublicKey(key));
  await stageIdentityFile(folder, 'key', key);
  await stageIdentityFile(folder, 'authority', authority.certificate);
  await stageIdentityFile(folder, 'certificate', certificate);
  return certificate;
}

/** The certificate that counts, if its key is there. */
async function used(): Promise<string> {
  const { certificate, key } = await readIdentity(folder);
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
  return certificate.toString();
}

const names = Object.values(identityFiles);

test.each([0, 1, 2, 3])(
  'A-386: an identity whose renewal ended behind %s of its renames counts, and is renewed again',
  async (renames) => {
    const first = await stage();
    await takeStagedIdentity(folder);
    const second = await stage();
    for (const name of names.slice(0, renames)) renameSync(join(folder, `${name}.new`), join(folder, name));
    const counts = renames > names.indexOf(identityFiles.certificate) ? second : first;
    expect(await used()).toBe(counts);
    // One that gets no certificate leaves all as it was.
    await stageIdentityFile(folder, 'key', makeKey());
    expect(await used()).toBe(counts);
    await dropStagedKey(folder);
    expect(await used()).toBe(counts);
    const third = await stage();
    await takeStagedIdentity(folder);
    expect([await used(), readdirSync(folder)]).toEqual([third, names.toSorted()]);
  },
);

test('A-386: who reads an identity while it is renewed gets a key and the certificate for it', async () => {
  await stage();
  await takeStagedIdentity(folder);
  for (let round = 0; round < 20; round += 1) {
    await stage();
    const all = [takeStagedIdentity(folder).then(() => '')];
    // Each reader begins a little later than the one before it.
    for (let at = 0; at < 12; at += 1) {
      all.push(used());
      await setImmediate();
    }
    await Promise.all(all);
  }
});

test('an identity without a key that fits is read as it is, and one without a key is refused', async () => {
  await stage();
  await takeStagedIdentity(folder);
  const other = makeKey();
  await stageIdentityFile(folder, 'key', other);
  renameSync(join(folder, 'key.pem.new'), join(folder, identityFiles.key));
  expect((await readIdentity(folder)).key.toString()).toBe(other);
  rmSync(join(folder, identityFiles.key));
  await expect(readIdentity(folder)).rejects.toThrow('ENOENT');
});
