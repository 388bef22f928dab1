import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuditLog } from './audit-log.ts';
import type { AuditRecord } from './audit-record.ts';
import { executionKey, recordedExecutions } from './recorded-executions.ts';

const { privateKey: key } = generateKeyPairSync('ed25519');
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-recorded-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function decision(execution: string): AuditRecord {
  const ids = { execution, caller: 'relay:host-1', agent: 'coder' };
  const what = { argv: ['ls', 'x'.repeat(100_000)], cwd: '/app', uid: 1, gid: 1, strategy: 'ghost' };
  const why = { decision: 'allow' as const, rule: 'r', reason: '', code: '', planHash: '', policyHash: '' };
  return { type: 'decision', ...ids, ...what, ...why };
}

test('A-91: what the history is behind is read back to where it was, however much was written since', async () => {
  const file = join(dir, 'audit.jsonl');
  const log = await openAuditLog(file, { key, maxBytes: 5_000_000 });
  await Promise.all(Array.from({ length: 300 }, (_, index) => log.append(decision(`e${index + 1}`))));
  await log.close();
  const has = async (from: number, id: string) =>
    (await recordedExecutions(file, from)).has(executionKey('relay:host-1', id));
  expect(await has(Infinity, 'e300')).toBe(true);
  // Positive control: without the database's knowledge, the oldest are too far back.
  expect(await has(Infinity, 'e1')).toBe(false);
  expect(await has(100, 'e101')).toBe(true);
  expect(await has(0, 'e1')).toBe(true);
});
