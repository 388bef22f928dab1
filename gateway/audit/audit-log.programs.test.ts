import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rotatedFiles } from '../../src/audit/audit-files.ts';
import { firstLink, linkHash, verifiedRecord } from '../../src/audit/chain.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { openAuditLog } from './audit-log.ts';
import type { AuditRecord } from './audit-record.ts';
import { faultNotesIn } from './fault-notes.ts';

const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-audit-'));
  file = join(dir, 'audit.jsonl');
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

const note = (text: string): AuditRecord => ({ type: 'lifecycle', event: 'test', text });

interface Line {
  type: string;
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

function texts(): string[] {
  return lines().flatMap(({ type, text }) => (type === 'head' ? [] : [text]));
}

function expectChain(): void {
  let prev = firstLink;
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').slice(0, -1).entries()) {
    const record = verifiedRecord(line);
    expect(record).toMatchObject({ seq: index + 1, prev });
    prev = record?.hash ?? '';
  }
}

test('P25: appends that come together are one chain, in order', async () => {
  const audit = await openAuditLog(file, { key });
  await Promise.all(Array.from({ length: 200 }, (_, index) => audit.append(note(`n${index}`))));
  await audit.close();
  expect(texts()).toEqual(Array.from({ length: 200 }, (_, index) => `n${index}`));
  expectChain();
});

test('A-70: hostile text stays one record on one line', async () => {
  const audit = await openAuditLog(file, { key });
  await audit.append(note('\n{"decision":"allow"}\u2028\u009b\r'));
  await audit.append(note('after'));
  await audit.close();
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  // Some readers also take other characters for the end of a line.
  expect(readFileSync(file, 'utf8')).toMatch(/^[\x20-\x7e\n]+$/);
  expectChain();
  expect((await verifyAudit([file], { key: publicKey })).problem).toBeUndefined();
});

test('A-70: a record that has such a character as it is counts as one line, and is not what a gateway writes', async () => {
  const body = { seq: 1, type: 'lifecycle', text: 'a\u2028b\u2029c\u0085d\re', prev: firstLink };
  const line = JSON.stringify({ ...body, hash: linkHash(body) });
  const next = { seq: 2, type: 'lifecycle', text: 'x'.repeat(200_000), prev: linkHash(body) };
  writeFileSync(file, `${line}\n${JSON.stringify({ ...next, hash: linkHash(next) })}\n`);
  expect(await verifyAudit([file])).toMatchObject({
    records: 0,
    problem: { line: 1, why: 'record 1 was changed' },
  });
});

test('a torn last line is cut off and the chain goes on', async () => {
  const audit = await openAuditLog(file, { key });
  await audit.append(note('whole'));
  await audit.close();
  appendFileSync(file, '{"seq":3,"time":"2026-');
  const again = await openAuditLog(file, { key });
  await again.append(note('next'));
  await again.close();
  expect(texts()).toEqual(['whole', expect.stringContaining('a record that was not finished'), 'next']);
  expectChain();
});

test('a file that does not end in an audit record is refused', async () => {
  writeFileSync(file, 'something else\n');
  await expect(openAuditLog(file, { key })).rejects.toThrow(
    `the audit ${file} cannot be used: its last line is no audit record, or one that was changed; keep it as it is, under another name`,
  );
});

test.skipIf(process.getuid?.() !== 0)(
  'A-71: a full disk refuses, and appending resumes by itself',
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'clawrden-audit-test', dir]);
    try {
      const audit = await openAuditLog(file, { key });
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
      expect(texts()).toEqual(['before', 'after']);
      expectChain();
    } finally {
      execFileSync('umount', [dir]);
    }
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'A-490 P25: a log whose disk was full can be written again once there is room, although nobody brings a record',
  { timeout: 30_000 },
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'clawrden-audit-test', dir]);
    try {
      const audit = await openAuditLog(file, { key });
      await audit.append(note('before'));
      const filler = join(dir, 'filler');
      expect(() => writeFileSync(filler, Buffer.alloc(2 * 1024 * 1024))).toThrow('ENOSPC');
      await expect(audit.append(note('x'.repeat(8 * 1024)))).rejects.toThrow('ENOSPC');
      // The last page of the log has room for a head, and then the disk for less than a long record.
      const before = lines();
      await sleep(3000);
      truncateSync(filler, 900 * 1024);
      await sleep(3000);
      expect([audit.problem(), lines()]).toEqual([expect.stringContaining('ENOSPC'), before]);
      rmSync(filler);
      await vi.waitFor(() => expect(audit.problem()).toBe(''), 5000);
      expect(lines().at(-1)?.type).toBe('head');
      expect(readdirSync(dir)).toEqual(['audit.jsonl']);
      await audit.append(note('after'));
      await audit.close();
      expect(texts()).toEqual(['before', 'after']);
      expectChain();
      expect((await verifyAudit([file], { key: publicKey })).problem).toBeUndefined();
    } finally {
      execFileSync('umount', ['--lazy', dir]);
    }
  },
);

test('a log that is closed while it notes a fault has the note once', async () => {
  const faults = faultNotesIn(`${file}.faults`);
  const audit = await openAuditLog(file, { key, faults });
  await audit.append(note('the notes are written half a second after it'));
  truncateSync(file, 0);
  // With the incident and its own signed head: nothing is left to be written when the log is closed.
  await Promise.all(Array.from({ length: 998 }, () => audit.append(note('after'))));
  expect(lines().at(-1)?.type).toBe('head');
  const free = await holdThreads();
  await sleep(600);
  const closed = audit.close();
  free();
  await closed;
  expect(faults.read()).toEqual([expect.stringContaining('was changed while it was written')]);
});

/** Every thread that works on files waits for a writer, until the result is called. */
async function holdThreads(): Promise<() => void> {
  const fifo = join(dir, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
  const opened = Array.from({ length: threads }, () => open(fifo, 'r'));
  return () => {
    closeSync(openSync(fifo, 'w'));
    for (const handle of opened) void handle.then((it) => it.close());
  };
}

test('the chain goes on over a rotation and a restart, and its heads are signed', async () => {
  for (const round of [1, 2, 3]) {
    const audit = await openAuditLog(file, { key, maxBytes: 1500 });
    for (let i = 0; i < 10; i++) await audit.append(note(`${round}.${i}`));
    await audit.close();
  }
  const files = [...(await rotatedFiles(file)), file];
  expect(files.length).toBeGreaterThan(3);
  expect(await verifyAudit(files, { key: publicKey })).toMatchObject({
    first: 1,
    records: 33,
    heads: 3,
    vouchedFor: 33,
  });
});

test('the head is signed after a thousand records, and with the first that comes after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const heads = () => lines().flatMap(({ type, seq }) => (type === 'head' ? [seq] : []));
  const audit = await openAuditLog(file, { key });
  for (let i = 0; i < 3; i++) await audit.append(note(`${i}`));
  vi.advanceTimersByTime(10 * 60_000);
  expect(heads()).toEqual([]);
  await audit.append(note('late'));
  expect(heads()).toEqual([5]);
  await Promise.all(Array.from({ length: 1200 }, (_, index) => audit.append(note(`n${index}`))));
  expect(heads()).toHaveLength(2);
  await audit.close();
  expect(await verifyAudit([file], { key: publicKey })).toMatchObject({
    records: 1207,
    heads: 3,
    vouchedFor: 1207,
  });
});

test('verify names the first bad record', async () => {
  const audit = await openAuditLog(file, { key });
  for (const text of ['one', 'two', 'three']) await audit.append(note(text));
  await audit.close();
  const good = readFileSync(file, 'utf8');
  const at = async (text: string) => {
    writeFileSync(file, text);
    return (await verifyAudit([file], { key: publicKey })).problem;
  };
  expect(await at(good)).toBeUndefined();
  expect(await at(good.replace('two', 'TWO'))).toEqual({ file, line: 2, why: 'record 2 was changed' });
  const [first = '', , ...rest] = good.split('\n');
  expect(await at([first, ...rest].join('\n'))).toMatchObject({ line: 2, why: 'record 2 is missing' });
  expect(await at(`${good}torn`)).toMatchObject({ line: 5, why: 'is no audit record' });
  const other = generateKeyPairSync('ed25519').publicKey;
  writeFileSync(file, good);
  expect((await verifyAudit([file], { key: other })).problem).toMatchObject({ line: 4 });
});
