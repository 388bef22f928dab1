import { generateKeyPairSync } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { auditPosition } from '../../gateway/store/audit-position.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { openAudit } from '../../src/audit/audit-files.ts';
import { linesOfAudit } from '../../src/audit/read-from.ts';
import { recordedLink } from '../../src/audit/recorded-link.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { checkAudit } from '../../src/cli/set-up/doctor/check-audit.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { stateFiles } from '../../src/pki/state-files.ts';

const { privateKey, publicKey: key } = generateKeyPairSync('ed25519');
const record = { type: 'lifecycle', event: 'test', text: 'x'.repeat(300) } as const;

let dir: string;
let file: string;
let database: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-verified-'));
  file = join(dir, 'audit.jsonl');
  database = join(dir, stateFiles.database);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** While a gateway writes its log, and rotates it behind each few records. `acked` says how many are on the disk. */
async function whileWritten(look: (acked: () => number) => Promise<void>): Promise<void> {
  const kept = await openDatabase(database, 'crash');
  const log = await openAuditLog(file, { key: privateKey, witness: auditPosition(kept), maxBytes: 4_000 });
  let [acked, isOver] = [0, false];
  const write = async () => {
    while (!isOver) {
      await log.append(record);
      acked += 1;
    }
  };
  const writing = write();
  try {
    await look(() => acked);
  } finally {
    isOver = true;
    await writing;
    await log.close();
    await kept.destroy();
  }
}

test('A-541 P25: a log that is rotated while it is verified is whole', async () => {
  await whileWritten(async (acked) => {
    for (let round = 0; round < 10; round += 1) {
      const before = acked();
      const { link: recorded } = await recordedLink(database);
      await using log = await openAudit(file);
      const { ino } = await stat(file);
      await expect.poll(async () => (await stat(file)).ino).not.toBe(ino);
      const report = await verifyAudit(log.parts, { key, recorded });
      expect(report.problem).toBeUndefined();
      expect(report.records).toBeGreaterThanOrEqual(before);
    }
  });
});

test('A-541 P25: doctor and the newest records find the end of a log that is rotated meanwhile', async () => {
  await whileWritten(async (acked) => {
    for (let round = 0; round < 100; round += 1) {
      const before = acked();
      expect(await checkAudit({ state: dir, audit: file } as GatewayConfig)).toMatchObject([{ level: 'ok' }]);
      let newest = 0;
      for await (const { seq } of linesOfAudit(file, undefined, 1)) newest = seq;
      expect(newest).toBeGreaterThanOrEqual(before);
    }
  });
});

/** A log of three records whose last line lacks its end. */
async function cutLog(): Promise<string> {
  const log = await openAuditLog(file, { key: privateKey });
  await log.append(record);
  await log.append(record);
  await log.close();
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.slice(0, -100));
  return text.slice(-100);
}

test('A-541 P25: a record that is being written while it is verified is one, and one that is not finished is a problem', async () => {
  const rest = await cutLog();
  const verify = async () => {
    await using log = await openAudit(file);
    return await verifyAudit(log.parts, { key });
  };
  expect(await verify()).toMatchObject({ problem: { line: 3, why: 'is no audit record' } });
  const verifying = verify();
  await sleep(50);
  await appendFile(file, rest);
  expect(await verifying).toMatchObject({ records: 3, vouchedFor: 3 });
});
