import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropEnrollingKeys, enrollingKey } from './enrolling-key.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-enrolling-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The file of the only key. */
function path(): string {
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

test('A-524 A-578: a token has its key again until that is dropped, for its owner alone, and no other token has it', async () => {
  const first = await enrollingKey(folder, 'one');
  expect(await enrollingKey(folder, 'one')).toBe(first);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(path()).not.toContain('one');
  const second = await enrollingKey(folder, 'two');
  expect(second).not.toBe(first);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(await enrollingKey(folder, 'one')).not.toBe(first);
  writeFileSync(join(folder, 'key.pem'), '');
  // what a person keeps there stays, and a folder stops nothing.
  writeFileSync(join(folder, 'enrolling-notes.txt'), '');
  mkdirSync(join(folder, 'enrolling-old'));
  await dropEnrollingKeys(folder);
  expect(readdirSync(folder).toSorted()).toEqual(['enrolling-notes.txt', 'enrolling-old', 'key.pem']);
});

test.each([
  ['was cut', () => writeFileSync(path(), '-----BEGIN PRIVATE KEY-----')],
  ['others may read', () => chmodSync(path(), 0o644)],
  ['is behind a link', linkAway],
])('A-524: a key that %s is not used', async (_name, change) => {
  const first = await enrollingKey(folder, 'one');
  change();
  const next = await enrollingKey(folder, 'one');
  expect(next).not.toBe(first);
  expect(await enrollingKey(folder, 'one')).toBe(next);
});

function linkAway(): void {
  const own = path();
  renameSync(own, join(folder, 'elsewhere'));
  symlinkSync('elsewhere', own);
}
