import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { loadGatewayIdentity } from './gateway-identity.ts';

let dir: string;

/** All that the gateway reads of it before the database, which has a rule of its own (`databaseFault`). */
const madeLater: readonly string[] = [
  stateFiles.database,
  stateFiles.firstStart,
  stateFiles.complete,
  stateFiles.auditFaults,
  stateFiles.nextSigningKey,
  stateFiles.nextAuthority,
  stateFiles.operatorsTaken,
  stateFiles.refreshTokens,
];
const files = Object.values(stateFiles).filter((name) => !madeLater.includes(name));

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-identity-'));
  const authority = await makeAuthority('Test CA');
  const server = await issueServerCertificate(authority, ['localhost']);
  const signing = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const made = {
    [stateFiles.gatewayId]: 'gw-1\n',
    [stateFiles.authority]: authority.certificate,
    [stateFiles.authorityKey]: authority.key,
    [stateFiles.server]: server.certificate,
    [stateFiles.serverKey]: server.key,
    [stateFiles.signingKey]: signing,
    [stateFiles.operators]: '{}',
  };
  for (const [name, text] of Object.entries(made)) writeFileSync(join(dir, name), text, { mode: 0o600 });
});

afterEach(() => rmSync(dir, { recursive: true }));

type Damage = (file: string, text: string) => void;

const damages: Readonly<Record<string, Damage>> = {
  empty: (file) => writeFileSync(file, ''),
  blank: (file) => writeFileSync(file, '\n'),
  garbage: (file) => writeFileSync(file, randomBytes(400)),
  'other text': (file) => writeFileSync(file, 'no file of ours, but a text\nof two lines\n'),
  'cut in half': (file, text) => writeFileSync(file, text.slice(0, text.length / 2)),
  'without its end': (file, text) => writeFileSync(file, text.slice(0, -8)),
  'doubled in part': (file, text) => writeFileSync(file, text + text.slice(0, text.length / 2)),
  'far too long': (file, text) => writeFileSync(file, text.repeat(3) + 'x'.repeat(2_000_000)),
  'not there': (file) => rmSync(file),
  'a folder': (file) => {
    rmSync(file);
    mkdirSync(file);
  },
  'a link to nothing': (file) => {
    rmSync(file);
    symlinkSync('nothing', file);
  },
};

function refusalOf(folder: string): string {
  try {
    loadGatewayIdentity(folder);
    return 'it was taken';
  } catch (error) {
    return (error as Error).message;
  }
}

test('a state folder as init made it is taken', () => {
  const { gatewayId, people, signingKey } = loadGatewayIdentity(dir);
  expect([gatewayId, people.size, signingKey.type]).toEqual(['gw-1', 0, 'private']);
});

/** Its people are taken in at the first start, and it is gone then. */
const mayBeMissing = (name: string, what: string) => name === stateFiles.operators && what === 'not there';

test('a state folder whose people were taken in is taken', () => {
  rmSync(join(dir, stateFiles.operators));
  expect(loadGatewayIdentity(dir).people.size).toBe(0);
});

test.each(
  files
    .flatMap((name) => Object.keys(damages).map((what) => [name, what] as const))
    .filter(([name, what]) => !mayBeMissing(name, what)),
)(
  'P4: a state folder whose %s is %s is refused in one line: the file, the fault and the next step',
  (name, what) => {
    const file = join(dir, name);
    damages[what]!(file, readFileSync(file, 'utf8'));
    const message = refusalOf(dir);
    expect(message).toMatch(/^[^\n]+; (restore it from a backup|run: chmod 600)[^\n]*$/);
    expect(message).toContain(file);
  },
);

test('P4: keys that belong to another certificate, or are of another kind, are refused', () => {
  for (const [name, other] of [
    [stateFiles.authorityKey, stateFiles.serverKey],
    [stateFiles.serverKey, stateFiles.signingKey],
    [stateFiles.signingKey, stateFiles.serverKey],
  ] as const) {
    const [file, before] = [join(dir, name), readFileSync(join(dir, name))];
    writeFileSync(file, readFileSync(join(dir, other)));
    expect(refusalOf(dir)).toMatch(/another certificate|no Ed25519/);
    writeFileSync(file, before);
  }
});
