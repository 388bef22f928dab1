import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTextFile } from './read-text-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'clawrden-read-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test('a text comes back byte for byte', () => {
  expect(readTextFile(file('ok.yaml', 'ä: 1\n'))).toBe('ä: 1\n');
});

test.each([
  ['no file', () => join(folder, 'missing.yaml'), 'there is no such file'],
  ['a directory', () => (mkdirSync(join(folder, 'dir')), join(folder, 'dir')), 'it is not a regular file'],
  ['a device', () => '/dev/zero', 'it is not a regular file'],
  ['more than 1 MiB', () => file('big.yaml', 'x'.repeat(1 + (1 << 20))), 'larger than 1048576 bytes'],
  ['invalid UTF-8', () => file('bad.yaml', Buffer.from([0x61, 0xff])), 'not valid UTF-8'],
])('A-36 %s is refused', (_name, make, why) => {
  expect(() => readTextFile(make())).toThrow(why);
});

test('A-36 a FIFO that nobody writes to is refused at once', () => {
  const fifo = join(folder, 'fifo');
  expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
  expect(() => readTextFile(fifo)).toThrow('it is not a regular file');
});

test('A-36 a file that may not be read is refused', () => {
  const path = file('secret.yaml', 'a: 1\n');
  chmodSync(path, 0);
  chmodSync(folder, 0o755);
  const isRoot = process.geteuid?.() === 0;
  // Root may read every file, so the call runs as another user.
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect(() => readTextFile(path)).toThrow('permission is denied');
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
