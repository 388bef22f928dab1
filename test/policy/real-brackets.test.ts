import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPlainScript } from '../../src/policy/arguments/tools/sed-script.ts';
import { allIfLong } from '../fixtures/sampled.ts';
import { attempt } from '../lab/command.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-brackets-'));
  await writeFile(join(folder, 'in'), ' touch RAN\n');
});
afterAll(() => rm(folder, { recursive: true }));

const pieces = [
  'a',
  '/',
  ']',
  '[',
  '^',
  String.raw`\n`,
  '[:alpha:]',
  '[:digit:]',
  '[.].]',
  '[=/=]',
  '[.',
  ':]',
];

function brackets(length: number): string[] {
  if (length === 0) return [''];
  return brackets(length - 1).flatMap((rest) => pieces.map((piece) => piece + rest));
}

/** Runs what is in the line if sed takes a slash in the bracket for a part of it. */
const scriptOf = (inner: string) => `s/[${inner}]*/p; /e;#/p`;

test('A-255: the real sed sees the end of each bracket where we see it', async () => {
  const withSlash = [1, 2, 3].flatMap(brackets).filter((inner) => inner.includes('/'));
  const plain = withSlash.map(scriptOf).filter(isPlainScript);
  expect(plain.length).toBeGreaterThan(10);
  for (const script of allIfLong(plain, 40)) {
    await attempt(['sed', script, 'in'], { cwd: folder });
    expect([script, existsSync(join(folder, 'RAN'))]).toEqual([script, false]);
  }
  // What shows that a script of this kind can run something.
  expect(isPlainScript(scriptOf('[:alpha:][:digit:]/'))).toBe(false);
  await attempt(['sed', scriptOf('[:alpha:][:digit:]/'), 'in'], { cwd: folder });
  expect(existsSync(join(folder, 'RAN'))).toBe(true);
});

test.each(['s/[[:space:]]*$//', 's/[^a-z]/x/g', 's/[]]/x/', String.raw`s/[ \t]//`])(
  '%s is plain',
  (script) => {
    expect(isPlainScript(script)).toBe(true);
  },
);
