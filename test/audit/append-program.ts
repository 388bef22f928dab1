import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { auditPosition } from '../../gateway/store/audit-position.ts';
import { openDatabase } from '../../gateway/store/database.ts';

/**
 * Appends to the audit of a folder, and prints what is on the disk: `acked TEXT`, or `refused TEXT`, and tries again.
 * Arguments: the folder, the name of this run, how many records, and the size of a file.
 */
const [dir = '', life = '', count = '0', maxBytes = '0'] = process.argv.slice(2);

function say(what: string, text: string): void {
  writeSync(1, `${what} ${text.replaceAll('\n', ' ')}\n`);
}

async function append(log: Awaited<ReturnType<typeof openAuditLog>>, name: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const text = `${name}.${attempt}`;
    try {
      await log.append({ type: 'lifecycle', event: 'test', text });
      say('acked', text);
      return;
    } catch {
      say('refused', text);
      await sleep(2);
    }
  }
}

try {
  const database = await openDatabase(join(dir, 'clawrden.db'), 'crash');
  const key = createPrivateKey(readFileSync(join(dir, 'key.pem')));
  const witness = auditPosition(database);
  const log = await openAuditLog(join(dir, 'audit.jsonl'), { key, witness, maxBytes: Number(maxBytes) });
  // Several at once share a flush.
  for (let at = 0; at < Number(count); at += 3) {
    await Promise.all([0, 1, 2].map((more) => append(log, `${life}.${at + more}`)));
  }
  for (const warning of log.warnings()) say('warned', warning);
  await log.close();
  await database.destroy();
} catch (error) {
  say('failed', (error as Error).message);
  process.exitCode = 1;
}
