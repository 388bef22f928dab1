import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Inner, seeThrough } from '../../src/policy/arguments/see-through.ts';
import { shellOptions, shells, wrapperData } from '../../src/policy/arguments/tools/wrapper-data.ts';
import { isToolName } from '../../src/policy/request/tool-name.ts';
import { formsOf } from './command-lines.ts';
import { findTool, Scratch } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';

/** All of them, or every seventh in a short run. */
const sample = <T>(all: readonly T[]): T[] => all.filter((_, index) => isLong || index % 7 === 0);

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch[Symbol.dispose]());

function innerOf(tool: string, args: readonly string[]): Inner | undefined {
  const inner = seeThrough(tool, args);
  return inner?.kind === 'command' ? { ...inner, args: inner.args.slice(inner.from), from: 0 } : inner;
}

/** The program that we say a line finally runs, through all wrappers; `undefined` if we say that it runs nothing. */
function claimOf([tool = '', ...args]: readonly string[]): Inner | undefined {
  const inner = innerOf(tool, args);
  if (inner?.kind !== 'command' || inner.tool === 'inner' || inner.tool === 'other') return inner;
  const isWrapper = wrapperData.has(inner.tool) || shells.has(inner.tool);
  return isWrapper ? claimOf([inner.tool, ...inner.args]) : inner;
}

/** Compares what ran with what we said; nothing is promised about lines that we do not see through. */
function disagreement(argv: readonly string[], input = ''): string | undefined {
  const claim = claimOf(argv);
  // A policy cannot define a tool with another name.
  if (claim?.kind === 'opaque' || (claim?.kind === 'command' && !isToolName(claim.tool))) return undefined;
  const { calls } = scratch.run(argv, input);
  const said = claim?.kind === 'command' ? [claim.tool, ...claim.args] : [];
  const isSaid = (call: readonly string[]) =>
    claim?.kind === 'script'
      ? call.join(' ') === 'inner from a script'
      : said.every((word, at) => call[at] === word) && (call.length === said.length || isAdding(claim));
  if (calls.every(isSaid)) return undefined;
  return `${JSON.stringify(argv)} ran ${JSON.stringify(calls)}, and not ${JSON.stringify(claim)}`;
}

function isAdding(claim: Inner | undefined): boolean {
  return claim?.kind === 'command' && claim.adds;
}

const operandsBefore: Readonly<Record<string, readonly string[]>> = {
  timeout: ['9'],
  chrt: ['-o', '0'],
  stdbuf: ['-oL'],
  taskset: ['1'],
  busybox: ['timeout', '9'],
  toybox: ['timeout', '9'],
};

/** With the priority, mask, time or option that the wrapper needs. */
const behind = (wrapper: string) => [...(operandsBefore[wrapper] ?? []), 'inner', 'a', '-b', '--', 'other'];

describe('each form of an option that a wrapper is said to know', () => {
  test.for([...wrapperData])('A-32 %s', ([wrapper, { options }], context) => {
    if (findTool(wrapper) === undefined) context.skip(`${wrapper} is not installed`);
    const forms = [
      [],
      ['--'],
      ...[...new Set(options.values())].flatMap((option) => formsOf(wrapper, option)),
    ];
    expect(scratch.run([wrapper, ...behind(wrapper)]).calls).toEqual([['inner', 'a', '-b', '--', 'other']]);
    const valued = [...forms, ...[...options.keys()].map((name) => [name, valueOf(wrapper, name)])];
    const lines = valued.map((form) => [wrapper, ...form, ...behind(wrapper)]);
    expect(sample(lines).flatMap((line) => disagreement(line) ?? [])).toEqual([]);
  });
});

/** One that the wrapper accepts. */
function valueOf(wrapper: string, option: string): string {
  const values: Readonly<Record<string, string>> = {
    '-s': wrapper === 'xargs' ? '4000' : 'TERM',
    '--signal': 'TERM',
    '-o': 'L',
    '-i': '0',
    '-e': 'L',
    '--output': 'L',
    '--input': '0',
    '--error': 'L',
    '-d': 'x',
    '--delimiter': 'x',
    '-a': 'f',
    '--arg-file': 'f',
  };
  return values[option] ?? '1';
}

test.for(['sh', 'bash', 'dash'])('A-32 each form of an option that %s is said to know', (shell, context) => {
  if (findTool(shell) === undefined) context.skip(`${shell} is not installed`);
  const flags = [...shellOptions.keys()];
  const forms = flags.flatMap((one) => [
    [one],
    [one, 'errexit'],
    [`${one}errexit`],
    [`${one}c`, 'errexit'],
    [`-c${one.slice(1)}`],
  ]);
  const lines = forms.flatMap((form) => [
    [shell, ...form, 'inner a', 'b'],
    [shell, ...form, '-c', 'inner a', 'b'],
    [shell, ...form, 'script.sh', 'inner a'],
  ]);
  expect(sample(lines).flatMap((line) => disagreement(line) ?? [])).toEqual([]);
});

/** Every name that the shell reports, and more that other builds of it may have. */
function optionNames(shell: readonly string[]): string[] {
  const [tool = '', ...rest] = shell;
  const { stdout } = spawnSync(tool, [...rest, '-c', 'set -o; shopt'], { encoding: 'utf8' });
  const names = stdout.split('\n').map((line) => line.split(/\s/)[0] ?? '');
  return [
    ...new Set([
      ...names.filter((name) => /^\w+$/.test(name)),
      'stdin',
      'interactive',
      'keyword',
      'login_shell',
    ]),
  ];
}

test.for(['sh', 'bash', 'dash', 'busybox sh', 'busybox ash'])(
  'A-73 P9: each name that %s knows an option by changes nothing about what runs, or we do not say what does',
  { timeout: isLong ? 300_000 : 20_000 },
  (line, context) => {
    const shell = line.split(' ');
    if (findTool(shell[0] ?? '') === undefined) context.skip(`${shell[0]} is not installed`);
    const names = optionNames(shell);
    expect(names).toContain('errexit');
    const lines = names.flatMap((name) =>
      ['-o', '+o', '-eo', '-O', '+O', '-euo'].flatMap((option) => [
        [...shell, option, name, '-c', 'inner X=y b'],
        [...shell, option, name, 'script.sh', 'inner a'],
        [...shell, '-c', option, name, 'inner X=y b'],
      ]),
    );
    const seen = lines.filter((argv) => claimOf(argv)?.kind !== 'opaque');
    expect(seen.map((argv) => argv.join(' '))).toContain(`${line} -o errexit -c inner X=y b`);
    expect(sample(seen).flatMap((argv) => disagreement(argv, 'other from its input\n') ?? [])).toEqual([]);
  },
);

const programs = [...wrapperData.keys(), ...shells].filter((name) => findTool(name) !== undefined);

test('A-32 whatever stands on the line of a wrapper, it runs what we say or we do not say it', {
  timeout: 600_000,
}, () => {
  const flags = [...wrapperData.values()].flatMap(({ options }) => [...options.keys()]);
  const word = fc.oneof(
    fc.constantFrom('inner', 'other', 'inner', 'inner a', 'other -c b', 'script.sh', './script.sh'),
    fc.constantFrom(...programs),
    fc.constantFrom(
      ...flags,
      ...shellOptions.keys(),
      '-oc',
      '-ec',
      '-co',
      '-S',
      '-vS',
      '-p',
      '-10',
      '--10',
      '-n1',
      '-I{}',
    ),
    fc.constantFrom(
      '--',
      '-',
      '0',
      '1',
      '5',
      '0x1',
      'X=y',
      'errexit',
      'L',
      'TERM',
      '{}',
      'applet',
      '+x',
      '-a',
      '-t',
    ),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...programs),
      fc.array(word, { minLength: 1, maxLength: 7 }),
      (program, args) => {
        expect(disagreement([program, ...args])).toBeUndefined();
      },
    ),
    { numRuns: isLong ? 5000 : 300 },
  );
});
