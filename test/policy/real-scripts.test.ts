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

/** At least `least` lines that we call harmless, run by every tool of that name. */
function expectHarmless(
  lines: fc.Arbitrary<readonly string[]>,
  programs: readonly (readonly string[])[],
  least: number,
): void {
  const installed = programs.filter(([name = '']) => findTool(name) !== undefined);
  fc.assert(
    fc.property(lines, (args) => {
      const [tool = ''] = programs[0] ?? [];
      fc.pre(isSafe(tool, args));
      for (const program of installed) {
        const { calls, touched } = scratch.run([...program, ...args]);
        expect({ program, calls, touched }).toEqual({ program, calls: [], touched: [] });
      }
    }),
    { numRuns: least, maxSkipsPerRun: 5000 },
  );
}

test('A-30 no script for sed that we take for harmless runs or writes', { timeout: 600_000 }, () => {
  const lines = fc.oneof(
    sedText.map((script) => [script, 'f']),
    fc.tuple(sedText, sedText).map(([first, second]) => ['-e', first, '-e', second, 'f']),
    fc
      .tuple(fc.constantFrom('-n', '-E', '-s', '-z', '--posix', '--debug', '-u'), sedText)
      .map(([flag, script]) => [flag, script, 'f', 'sub/g']),
  );
  expectHarmless(lines, [['sed'], ['busybox', 'sed']], isLong ? 4000 : 60);
});

test('A-30 no program for awk that we take for harmless runs or writes', { timeout: 600_000 }, () => {
  const lines = fc.oneof(
    awkText.map((program) => [program, 'f']),
    fc
      .tuple(fc.constantFrom('-F', '-v'), awkText, awkText)
      .map(([flag, value, program]) => [flag, value, program, 'f']),
    fc.tuple(awkText, awkText).map(([program, operand]) => ['--', program, operand, 'f']),
  );
  expectHarmless(lines, [['awk'], ['busybox', 'awk'], ['gawk']], isLong ? 4000 : 60);
});
