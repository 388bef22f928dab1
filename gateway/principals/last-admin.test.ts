import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { openRecords, type Records } from '../start/open-records.ts';
import { keepSignIn } from '../store/sign-ins.ts';
import { openPrincipals } from './open-principals.ts';
import { createPrincipalOperations } from './principal-operations.ts';

let dir: string;
let records: Records;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-last-admin-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  records = await openRecords(config, privateKey, 'test');
});
afterEach(async () => {
  await records.close();
  await rm(dir, { recursive: true, force: true });
});

test('A-565 P17: a name that a provider gave goes to nobody else, also while gateway.yaml names no provider', async () => {
  const row = {
    name: 'ann',
    issuer: 'https://id.example',
    subject: '1',
    groups: '[]',
    until: null,
    set_at: 1,
  };
  await keepSignIn(records.database, row);
  const agents = () => new Map();
  const as = { role: 'admin', scope: {} } as const;
  const principals = await openPrincipals({ ...records, first: new Map([['bob', as]]), agents });
  const { setPerson } = createPrincipalOperations({ ...principals, agents });
  const by = { kind: 'person', name: 'bob', ...as } as const;
  for (const replace of [false, true])
    expect(await setPerson({ name: 'ann', ...as, until: undefined, replace }, by)).toHaveProperty('refused');
  expect(principals.personOf('ann', 'isOver')).toBeUndefined();
  expect(await setPerson({ name: 'eve', ...as, until: undefined, replace: false }, by)).toHaveProperty(
    'value',
  );
  await principals.apiTokens.close();
  await expect(openPrincipals({ ...records, first: new Map([['ann', as]]), agents })).rejects.toThrow(
    'operators.json: ann is the name of a person of an identity provider',
  );
});

test.each([['revoke'], ['remove']] as const)(
  'A-308 P17: of two admins who are put out at once one stays (the second by %s)',
  async (second) => {
    const admins = ['ann', 'bob'].map((name) => [name, { role: 'admin' as const, scope: {} }] as const);
    const agents = () => new Map();
    const principals = await openPrincipals({ ...records, first: new Map(admins), agents });
    const operations = createPrincipalOperations({ ...principals, agents });
    const by = { kind: 'person', name: 'ann', role: 'admin', scope: {} } as const;
    const revoke = (name: string) => operations.revoke({ kind: 'person', name }, by, '');
    const told = await Promise.all([
      revoke('ann'),
      second === 'revoke' ? revoke('bob') : operations.removePerson('bob', by, ''),
    ]);
    expect(told).toEqual([{ value: true }, { refused: expect.stringContaining('bob is the last admin') }]);
    await principals.apiTokens.close();
    // A start refuses a gateway without an admin.
    const again = await openPrincipals({ ...records, first: new Map(), agents });
    await again.apiTokens.close();
  },
);
