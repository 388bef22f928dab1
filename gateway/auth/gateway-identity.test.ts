import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { loadGatewayIdentity } from './gateway-identity.ts';

let dir: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-identity-'));
  const authority = await makeAuthority('Test CA');
  const server = await issueServerCertificate(authority, ['localhost']);
  const signing = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const files = {
    [stateFiles.gatewayId]: 'gw-1',
    [stateFiles.authority]: authority.certificate,
    [stateFiles.authorityKey]: authority.key,
    [stateFiles.server]: server.certificate,
    [stateFiles.serverKey]: server.key,
    [stateFiles.signingKey]: signing,
    [stateFiles.operators]: '{}',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o600 });
});

afterEach(() => rmSync(dir, { recursive: true }));

test.each([stateFiles.authority, stateFiles.server])(
  'P4: a state folder whose %s is empty or broken is refused: nobody else chooses who is trusted',
  async (name) => {
    await expect(loadGatewayIdentity(dir)).resolves.toMatchObject({ gatewayId: 'gw-1' });
    for (const text of ['', '\n', 'no certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n']) {
      writeFileSync(join(dir, name), text);
      await expect(loadGatewayIdentity(dir)).rejects.toThrow(`${name} holds no certificate`);
    }
  },
);
