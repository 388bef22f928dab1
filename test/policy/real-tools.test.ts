import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArguments } from '../../src/policy/arguments/read-arguments.ts';
import { hasSafeArguments } from '../../src/policy/arguments/safe-arguments.ts';
import { sampled } from '../fixtures/sampled.ts';
import { formsOf, grammarOf, knownToolNames, type Line, linesOf, words } from './command-lines.ts';
import { harmfulLines } from './harmful-lines.ts';
import { findTool, Scratch, skipWithout } from './scratch.ts';

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch[Symbol.dispose]());

function isSafe(tool: string, args: readonly string[]): boolean {
  const grammar = grammarOf(tool);
  return hasSafeArguments(grammar, readArguments(grammar, args));
}

describe('lines that run or write, by the tool itself, are not safe', () => {
  test.for(harmfulLines.map((line) => ({ argv: typeof line === 'string' ? words(line) : line })))(
    'A-27 A-28 A-29 A-30 A-31 $argv',
    ({ argv }, context) => {
      const [tool = '', ...args] = argv;
      skipWithout(tool, context);
      const { calls, touched } = scratch.run(argv, 'y\n');
      // Writing an archive is tar's purpose.
      const did = calls.length > 0 || touched.some((name) => name !== 'o.tar');
      expect({ did, safe: isSafe(tool, args) }).toEqual({ did: true, safe: false });
    },
  );
});

/** Writing there is the option's purpose. */
const purposes: Readonly<Record<string, ReadonlySet<string>>> = {
  tar: new Set(['-f', '-C', '-r', '-u', '-A', '-x']),
};

/** In a short run only every so many lines: slower tools are tried less. */
const strides: Readonly<Record<string, number>> = {
  npm: 60,
  pip: 80,
  kubectl: 150,
  docker: 25,
  terraform: 10,
  cargo: 60,
  gh: 300,
  go: 4,
  yarn: 60,
  pnpm: 60,
  node: 12,
  python: 20,
  perl: 6,
  ruby: 20,
  make: 20,
};

/** The most lines of a long run for a tool that starts slowly or has very many. */
const mostLines: Readonly<Record<string, number>> = {
  ...{ npm: 40, pip: 25, kubectl: 100, terraform: 40, cargo: 30, gh: 100, yarn: 40, pnpm: 40 },
  ...{ git: 1500, tar: 800 },
};

/** npm reads its options before its sub-command, so one sub-command that runs a script shows the effect for all. */
const npmLines: ReadonlySet<string | undefined> = new Set(['run', undefined]);

interface Attempt {
  readonly line: Line;
  readonly args: readonly string[];
}

function attemptsOf(tool: string): Attempt[] {
  const all = linesOf(tool).flatMap((line) => {
    const harmless = [...new Set(line.options.values())].filter(
      (option) => option.harmless && !option.names.some((name) => purposes[tool]?.has(name)),
    );
    if (tool === 'npm' && !npmLines.has(line.before[0]))
      return [{ line, args: [...line.before, ...line.after] }];
    const forms = [[], ...harmless.flatMap((option) => formsOf(tool, option))];
    return forms.map((form) => ({ line, args: [...line.before, ...form, ...line.after] }));
  });
  if (process.env['CLAWRDEN_LONG'] === '1') return sampled(all, mostLines[tool] ?? all.length);
  return all.filter((_, index) => index % (strides[tool] ?? 40) === 0);
}

test.each(knownToolNames)(
  'the lines in which the options of %s are tried are themselves harmless',
  (tool) => {
    const unsafe = linesOf(tool).filter(
      ({ program, before, after }) => !isSafe(program.at(-1) ?? '', [...before, ...after]),
    );
    expect(unsafe).toEqual([]);
  },
);

describe('options that are called harmless neither run nor write what they are given', () => {
  test.for(knownToolNames)('A-27 A-28 A-29 A-30 A-31 %s', { timeout: 900_000 }, (tool, context) => {
    skipWithout(tool, context);
    const guilty = attemptsOf(tool).flatMap(({ line: { program }, args }) => {
      if (findTool(program[0] ?? '') === undefined || !isSafe(program.at(-1) ?? '', args)) return [];
      const { calls, touched } = scratch.run([...program, ...args]);
      return calls.length + touched.length === 0
        ? []
        : [{ line: [...program, ...args].join(' '), calls, touched }];
    });
    expect(guilty).toEqual([]);
  });
});
