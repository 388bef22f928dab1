import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditLog, openAuditLog } from '../../gateway/audit/audit-log.ts';
import { handOverType, keyText } from '../../src/audit/hand-over.ts';
import { note } from './witnessed.ts';

export function newKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

/** A log that each of `keys` signed in turn; each one's run ends with a head of its own. */
export async function newSigningLog(keys: readonly KeyObject[], maxBytes = 256 * 1024) {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-signing-'));
  const file = join(dir, 'audit.jsonl');
  for (const [index, key] of keys.entries()) {
    const log = await openAuditLog(file, { key, maxBytes });
    for (const text of ['a', 'b', 'c']) await log.append(note(`${index}${text}`));
    const next = keys[index + 1];
    if (next !== undefined) {
      // The records around it are on their way at the same time.
      await Promise.all([
        log.append(note('before')),
        handOver(log, key, next),
        log.append(note('after')),
        log.append(note('later')),
      ]);
    }
    await log.close();
  }
  return { dir, file, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

export async function handOver(log: AuditLog, from: KeyObject, to: KeyObject): Promise<void> {
  const keys = { key: keyText(to), former: keyText(from) };
  const record = { type: handOverType, ...keys, formerUntil: '', by: 'person:ann', reason: '' } as const;
  await log.handOver({ key: to, record, taken: () => {} });
}
