import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findPrivileged } from './find-privileged.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'clawrden-privileged-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function file(name: string, mode: number): string {
  const path = join(root, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
}

test('A-83: every program in a workspace that runs as its owner or group is found, and nothing else', async () => {
  const folder = fc.constantFrom('', 'a/', 'a/b/', '.git/c/d/');
  const special = fc.constantFrom(0, 0o1000, 0o2000, 0o4000, 0o6000);
  const files = fc.array(fc.tuple(folder, special, fc.integer({ min: 0, max: 0o777 })), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(files, async (drawn) => {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      const made = drawn.map(([place, bits, mode], index) => {
        const path = file(`${place}f${index}`, bits | mode);
        return (bits & 0o6000) !== 0 && (mode & 0o111) !== 0 ? [path] : [];
      });
      const found = await findPrivileged(root);
      expect([...found.files].sort()).toEqual(made.flat().sort());
      expect(found.left).toBe('');
    }),
    { numRuns: 25 },
  );
});

test('A-83: links are not followed, folders with a bit do not count, and no more than 20 are named', async () => {
  mkdirSync(join(root, 'folder'));
  chmodSync(join(root, 'folder'), 0o2755);
  symlinkSync('/', join(root, 'all'));
  expect(await findPrivileged(root)).toEqual({ files: [], looked: 2, left: '' });
  for (let index = 0; index < 25; index++) file(`folder/s${index}`, 0o4755);
  const { files, left } = await findPrivileged(root);
  expect(files).toHaveLength(20);
  expect(left).toBe('there may be more than 20');
});

test('a workspace that is not there, or may not be read, is said not to have been looked at', async () => {
  expect(await findPrivileged(join(root, 'none'))).toEqual({
    files: [],
    looked: 0,
    left: '1 folders cannot be read',
  });
});
