import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { openRecords, type Records } from '../start/open-records.ts';
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
