import { expect, test } from 'vitest';
import { FlagIndex, mostOptions } from './flags.ts';
import { WordIndex } from './word-index.ts';

function indexOf(flag: string): FlagIndex<true> {
  const index = new FlagIndex<true>();
  index.add(flag, true);
  return index;
}

function lineOf(args: readonly string[]): WordIndex {
  const line = new WordIndex(args);
  for (const [at, word] of args.entries()) line.add(word, at);
  return line;
}

const mayHaveFlag = (flag: string, args: readonly string[]) =>
  indexOf(flag).possible(lineOf(args))?.has(true) ?? true;

test.each([
  ['-g', '-fg x', true],
  ['-g', '-gx', true],
  ['-g', '--g', true],
  ['-g', '-f --long', false],
  ['-g', '-f=g', false],
  ['-g', 'g', false],
  ['-g', '-G', false],
  ['-g', `-${'v'.repeat(300)}`, true],
  ['--upload-pack', '--upload-pa=/app/c.sh', true],
  ['--upload-pack', '--u', true],
  ['--upload-pack', '-u', false],
  ['--upload-pack', '-upload_pack x', true],
  ['--upload-pack', '--Upload-Pack:x', true],
  ['--upload-pack', '--upload-pack-x', false],
  ['--upload-pack', '--format=%H', false],
  ['--auto-approve', '-auto-approve', true],
  ['--dry_run', '--dry-run', true],
  ['-exec', '--exec', true],
  ['-exec', '-execdir', false],
  ['-c', 'log -- -c alias.x=!sh', false],
  ['-c', '-C -- -c alias.x=!sh', true],
  ['--global', '-- --global', false],
  ['--global', '- --', false],
])('A-74 a strict rule on %s of a tool that no table knows sees %j: %j', (flag, line, expected) => {
  expect(mayHaveFlag(flag, line.split(' '))).toBe(expected);
});

test.each([
  ['--output', '--expand-output {{f}}', true],
  ['--output', '--expand-out {{f}}', true],
  ['--upload-file', '--Expand_upload-file={{f}}', true],
  ['--expand-output', '--expand-output x', true],
  ['--output', '--expand output', false],
  ['--output', '--expander-output', false],
  ['-o', '--expand-output x', false],
])('A-439 a strict rule on %s of a tool that no table knows sees %j: %j', (flag, line, expected) => {
  expect(mayHaveFlag(flag, line.split(' '))).toBe(expected);
});

test('A-74 nobody looks at more options than anybody writes: a strict rule holds', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `--x${index}`);
  expect(mayHaveFlag('--global', many(mostOptions))).toBe(false);
  expect(mayHaveFlag('--global', many(mostOptions + 1))).toBe(true);
});

test('A-258: a value as long as anybody likes hides no option of a tool that no table knows', () => {
  for (const length of [1, 100, 250, 260, 300, 5000]) {
    const value = 'x/'.repeat(length);
    for (const word of [
      `--target-directory=${value}`,
      `--target-directory:${value}`,
      `-target_directory=${value}`,
    ])
      expect([word.slice(0, 40), length, mayHaveFlag('--target-directory', [word])]).toEqual([
        word.slice(0, 40),
        length,
        true,
      ]);
    expect(mayHaveFlag('--target', [`--target-directory=${value}`])).toBe(false);
  }
});
