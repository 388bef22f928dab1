import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArguments } from '../../src/policy/arguments/read-arguments.ts';
import { hasSafeArguments } from '../../src/policy/arguments/safe-arguments.ts';
import { grammarOf } from './command-lines.ts';
import { findTool, Scratch } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch[Symbol.dispose]());

function isSafe(tool: string, args: readonly string[]): boolean {
  const grammar = grammarOf(tool);
  return hasSafeArguments(grammar, readArguments(grammar, args));
}

const text = (...pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));

const marks = ['/', '|', ',', '_', '[', ']', '[^', '\\', '\\n', '\n', '&', '(', ')', '.', '*', 'b'];
const harm = [
  'e',
  'w WRITTEN',
  'e ./c.sh',
  './c.sh',
  'w',
  'W WRITTEN',
  ';e ./c.sh',
  '\ne ./c.sh',
  '};w WRITTEN',
  'r f',
];
const sedText = text(
  ...marks,
  ...harm,
  's',
  's/b/',
  's|b|',
  '/b/',
  '1',
  '$',
  '!',
  ' ',
  ';',
  '{',
  '}',
  'g',
  'p',
  'd',
  'I',
  'M',
  'y/b/c/',
  's/b/c/',
  'N',
  ':x',
  'bx',
  '1,+2',
  '/b/I',
  '~2',
  'q1',
  'a',
  'i\\',
);
const awkText = text(
  ...marks,
  ...[
    '{',
    '}',
    '{ print',
    ' > ',
    '"WRITTEN"',
    '"./c.sh"',
    'system',
    '(',
    ')',
    ' | ',
    'getline',
    '$1',
    'x',
    '=',
    ';',
    'BEGIN',
    '/b/',
    'printf',
    '#',
    ',',
    '@',
    'close',
  ],
);

/** `count` lines that we call harmless, run by every tool of that name: many in one shell, each alone if they did something. */
function expectHarmless(
  lines: fc.Arbitrary<readonly string[]>,
  programs: readonly (readonly string[])[],
  count: number,
): void {
  const [[tool = ''] = []] = programs;
  const installed = programs.filter(([name = '']) => findTool(name) !== undefined);
  const drawn = fc.sample(
    lines.filter((args) => isSafe(tool, args)),
    count,
  );
  const all = drawn.flatMap((args) => installed.map((program) => [...program, ...args]));
  for (let at = 0; at < all.length; at += together) {
    const some = all.slice(at, at + together);
    if (!areHarmless(some)) expect(some.filter((line) => !areHarmless([line]))).toEqual([]);
  }
  expect(areHarmless([...all.slice(0, 3), ['./c.sh', 'x']])).toBe(false);
}

const together = 60;

function areHarmless(lines: readonly (readonly string[])[]): boolean {
  // Some scripts never end.
  const script = ['ulimit -t 2', ...lines.map(quoted)].join('\n');
  const { calls, touched, status } = scratch.run(['sh', '-c', script], '', 120_000);
  return status !== null && calls.length + touched.length === 0;
}

function quoted(line: readonly string[]): string {
  return `${line.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')} </dev/null >/dev/null 2>&1`;
}

test('A-30 no script for sed that we take for harmless runs or writes', { timeout: 600_000 }, () => {
  const lines = fc.oneof(
    sedText.map((script) => [script, 'f']),
    fc.tuple(sedText, sedText).map(([first, second]) => ['-e', first, '-e', second, 'f']),
    fc
      .tuple(fc.constantFrom('-n', '-E', '-s', '-z', '--posix', '--debug', '-u'), sedText)
      .map(([flag, script]) => [flag, script, 'f', 'sub/g']),
  );
  expectHarmless(lines, [['sed'], ['busybox', 'sed']], isLong ? 3000 : 60);
});

test('A-30 no program for awk that we take for harmless runs or writes', { timeout: 600_000 }, () => {
  const lines = fc.oneof(
    awkText.map((program) => [program, 'f']),
    fc
      .tuple(fc.constantFrom('-F', '-v'), awkText, awkText)
      .map(([flag, value, program]) => [flag, value, program, 'f']),
    fc.tuple(awkText, awkText).map(([program, operand]) => ['--', program, operand, 'f']),
  );
  expectHarmless(lines, [['awk'], ['busybox', 'awk'], ['gawk']], isLong ? 3000 : 60);
});
