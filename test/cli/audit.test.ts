import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';

const launcher = join(import.meta.dirname, '../../src/cli/launcher.cjs');
const { privateKey } = generateKeyPairSync('ed25519');

let dir: string;
let file: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-audit-cli-'));
  file = join(dir, 'audit.jsonl');
  const log = await openAuditLog(file, { key: privateKey, maxBytes: 600 });
  for (const text of ['one', 'two\u009b2J', 'three', 'four'])
    await log.append({ type: 'lifecycle', event: 'test', text });
  await log.close();
  writeFileSync(join(dir, 'signing-key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
});

afterEach(() => rmSync(dir, { recursive: true }));

function clawrden(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [launcher, 'audit', ...args], { encoding: 'utf8' });
}

test('verify follows the chain through its parts, with the signatures', () => {
  const { status, stdout } = clawrden('verify', '--json', file);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    records: 5,
    heads: 1,
    vouchedFor: 5,
    signaturesChecked: true,
  });
});

test('verify names the first bad record and fails', () => {
  const [first = ''] = (JSON.parse(clawrden('verify', '--json', file).stdout) as { files: string[] }).files;
  writeFileSync(first, readFileSync(first, 'utf8').replace('one', 'eno'));
  const { status, stderr } = clawrden('verify', file);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `clawrden: audit: ${first}:1: record 1 was changed; nothing from there on can be relied on: keep the file as it is\n`,
  );
});

test('A-70: tail shows the newest records, one a line, with nothing for a terminal to obey', () => {
  const { status, stdout } = clawrden('tail', '-n', '2', join(dir, 'audit.jsonl'));
  expect(status).toBe(0);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
      .at(-1),
  ).toBe('head');
  expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\uffff]/);
});

test('tail takes a number of lines, and prints nothing for anything else', () => {
  const { status, stdout, stderr } = clawrden('tail', '-n', 'ten', file);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('tail -f follows over rotations, and misses nothing', async () => {
  const child = spawn(process.execPath, [launcher, 'audit', 'tail', '-n', '1', '-f', file]);
  try {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const texts = () => text.split('\n').flatMap((line) => line.match(/"text": ?"(n\d+)"/)?.[1] ?? []);
    await expect.poll(() => text).toContain('"head"');
    const log = await openAuditLog(file, { key: privateKey, maxBytes: 1500 });
    const wanted = Array.from({ length: 30 }, (_, index) => `n${index}`);
    for (const one of wanted) {
      await log.append({ type: 'lifecycle', event: 'test', text: one });
      // It checks four times a second: if a file is renamed between two checks, verify finds it among the parts.
      await sleep(60);
    }
    await expect.poll(texts).toEqual(wanted);
    await log.close();
  } finally {
    child.kill();
  }
});

test('a log that is not there is one line', () => {
  const { status, stderr } = clawrden('verify', join(dir, 'other', 'audit.jsonl'));
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
