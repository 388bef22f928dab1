import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuditLog } from './audit-log.ts';
import type { AuditRecord } from './audit-record.ts';
import { firstLink, linkHash } from './chain.ts';

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-audit-'));
  file = join(dir, 'audit.jsonl');
});

afterEach(() => rmSync(dir, { recursive: true }));

const note = (text: string): AuditRecord => ({ type: 'lifecycle', event: 'test', text });

interface Line {
  seq: number;
  text: string;
  prev: string;
  hash: string;
}

function lines(): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function expectChain(records: readonly Line[]): void {
  let prev = firstLink;
  for (const [index, { hash, ...body }] of records.entries()) {
    expect(body.seq).toBe(index + 1);
    expect(body.prev).toBe(prev);
    expect(linkHash(body)).toBe(hash);
    prev = hash;
  }
}

test('P25: appends that come together are one chain, in order', async () => {
  const audit = await openAuditLog(file);
  await Promise.all(Array.from({ length: 200 }, (_, index) => audit.append(note(`n${index}`))));
  await audit.close();
  expect(lines().map(({ text }) => text)).toEqual(Array.from({ length: 200 }, (_, index) => `n${index}`));
  expectChain(lines());
});

test('A-70: hostile text stays one record on one line', async () => {
  const audit = await openAuditLog(file);
  await audit.append(note('\n{"decision":"allow"}\u2028\u009b\r'));
  await audit.append(note('after'));
  await audit.close();
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  expectChain(lines());
});

test('a torn last line is cut off and the chain goes on', async () => {
  const audit = await openAuditLog(file);
  await audit.append(note('whole'));
  await audit.close();
  appendFileSync(file, '{"seq":2,"torn');
  const again = await openAuditLog(file);
  await again.append(note('next'));
  await again.close();
  expect(lines().map(({ text }) => text)).toEqual(['whole', 'next']);
  expectChain(lines());
});

test('a file that does not end in an audit record is refused', async () => {
  writeFileSync(file, 'something else\n');
  await expect(openAuditLog(file)).rejects.toThrow(SyntaxError);
});

test.skipIf(process.getuid?.() !== 0)(
  'A-71: a full disk refuses, and appending resumes by itself',
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'clawrden-audit-test', dir]);
    try {
      const audit = await openAuditLog(file);
      await audit.append(note('before'));
      writeFileSync(join(dir, 'filler'), Buffer.alloc(56 * 1024));
      await expect(audit.append(note('x'.repeat(16 * 1024)))).rejects.toMatchObject({
        code: 'audit-unwritable',
      });
      expect(audit.problem()).toContain('ENOSPC');
      rmSync(join(dir, 'filler'));
      await audit.append(note('after'));
      expect(audit.problem()).toBe('');
      await audit.close();
      expect(lines().map(({ text }) => text)).toEqual(['before', 'after']);
      expectChain(lines());
    } finally {
      execFileSync('umount', [dir]);
    }
  },
);
