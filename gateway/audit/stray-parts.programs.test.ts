import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { openAuditLog } from './audit-log.ts';

const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
const note = { type: 'lifecycle', event: 'test', text: 'x' } as const;

const kinds: Record<string, (path: string) => void> = {
  'a FIFO': (path) => void execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
  'a link to a file': (path) => symlinkSync('/etc/passwd', path),
  'a link to a device': (path) => symlinkSync('/dev/zero', path),
  'a link to nothing': (path) => symlinkSync('nowhere', path),
  'a link to the log': (path) => symlinkSync('audit.jsonl', path),
};

const names = ['000000000005', '999999999999', '000000000001.7', 'next'];

const cases = Object.keys(kinds).flatMap((kind) =>
  names.flatMap((name) => [true, false].map((isNew) => ({ kind, name, isNew }))),
);

test.each(cases)(
  'P25: $kind named .$name stops no start (new log: $isNew)',
  async ({ kind, name, isNew }) => {
    const dir = mkdtempSync(join(tmpdir(), 'clawrden-stray-'));
    const file = join(dir, 'audit.jsonl');
    try {
      if (!isNew) {
        // Full at once, so the log has a part and an empty file: the start must look into the parts.
        const before = await openAuditLog(file, { key, maxBytes: 1 });
        for (let count = 0; count < 3; count += 1) await before.append(note);
        await before.close();
      }
      const stray = `${file}.${name}`;
      kinds[kind]!(stray);
      const audit = await openAuditLog(file, { key, maxBytes: 300 });
      for (let count = 0; count < 4; count += 1) await audit.append(note);
      const isTold =
        name === 'next' ? audit.warnings().length === 0 : audit.warnings().join().includes(stray);
      expect(isTold).toBe(true);
      await audit.close();
      expect(lstatSync(stray).isFile()).toBe(false);
      const files = await auditFiles(file);
      expect(files).not.toContain(stray);
      const told = files
        .map((each) => readFileSync(each, 'utf8'))
        .join('')
        .includes('audit-stray');
      expect(told).toBe(name !== 'next');
      expect((await verifyAudit(files, { key: publicKey })).problem).toBeUndefined();
    } finally {
      rmSync(dir, { recursive: true });
    }
  },
);
