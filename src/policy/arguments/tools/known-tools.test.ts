import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMissingNames } from '../../file/find-teaching-problems.ts';
import { readArguments } from '../read-arguments.ts';
import { hasSafeArguments } from '../safe-arguments.ts';
import { compileTool } from './compile-tool.ts';
import { extendGrammar } from './extend-grammar.ts';
import type { ToolGrammar } from './grammar.ts';
import { knownTools } from './known-tools.ts';
import { shippedTools } from './shipped-tools.ts';
import { type SubcommandData, type ToolData, toolData } from './tool-data.ts';

const folder = new URL('../../tools/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

test('every data file has the one format, names nothing that is not there, and goes by the name of its tool', () => {
  const read = files.map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8'))] as const);
  expect(read.length).toBeGreaterThan(12);
  for (const [file, data] of read) {
    expect(shippedTools.get(file.replace('.json', ''))).toEqual(data);
    expect(findMissingNames(toolData.parse(data))).toEqual([]);
  }
});

test('A-77 each sub-command that does more than look says what else it does, if only that there is nothing', () => {
  const untold = [...shippedTools].flatMap(([tool, data]) =>
    Object.entries(toolData.parse(data).subcommands ?? {}).flatMap(([name, { safe, does, also }]) =>
      safe === true || does !== undefined || also !== undefined ? [] : [`${tool} ${name}`],
    ),
  );
  expect(untold).toEqual([]);
});

test('a key that the format does not have is refused', () => {
  const data = { source: 'x', style: 'gnu', subcommands: { a: { harmles: '-x' } } };
  expect(toolData.safeParse(data).success).toBe(false);
  expect(toolData.safeParse({ ...data, subcommands: { a: { harmless: '-x' } } }).success).toBe(true);
});

test.each(['x', '-', '--', '-a b', '--x=[y]', '-x{a}', '-a,b', '--x=<y>'])('%j is no option', (word) => {
  expect(toolData.safeParse({ source: 'x', style: 'gnu', harmless: [`-a ${word}`] }).success).toBe(false);
});

const optionWords = fc.array(
  fc.constantFrom(
    '-a',
    '-b=',
    '-c?',
    '--all',
    '--exec=',
    '--format?',
    '-x,--exec=',
    '--output=',
    '--upload-pack',
  ),
  { maxLength: 4 },
);
const extra: fc.Arbitrary<Partial<ToolData>> = fc.record({
  harmless: optionWords,
  subcommands: fc.dictionary(
    fc.constantFrom('log', 'push', 'status', 'new', 'alias', 'remote'),
    fc.record({ harmless: optionWords, safe: fc.boolean(), aliases: fc.constantFrom([], ['st'], ['push']) }),
    { maxKeys: 3 },
  ),
});
const line = fc.array(
  fc.constantFrom(
    'log',
    'push',
    'status',
    'st',
    'new',
    '-a',
    '--exec=x',
    '--output=x',
    '--all',
    '-c',
    'x',
    '--',
  ),
  { maxLength: 5 },
);

test('A-74 what a policy teaches of a tool that Clawrden knows changes no line that was understood', () => {
  const shipped = knownTools.get('git') as ToolGrammar;
  fc.assert(
    fc.property(extra, fc.array(line, { maxLength: 40 }), (more, lines) => {
      const data = toolData.parse({ source: 'x', style: shipped.style, ...more });
      const both = knownTools.taught(new Map([['git', data]])).get('git') as ToolGrammar;
      for (const args of lines) expectSame(shipped, both, args);
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 40 },
  );
});

function expectSame(shipped: ToolGrammar, both: ToolGrammar, args: readonly string[]): void {
  const before = readArguments(shipped, args);
  if (!before.sure) return;
  const after = readArguments(both, args);
  expect(after.sure).toBe(true);
  expect(after.given).toEqual(before.given);
  expect(after.subcommand?.name).toBe(before.subcommand?.name);
  expect(hasSafeArguments(both, after)).toBe(hasSafeArguments(shipped, before));
}

/** Of these Clawrden's own data counts, as `policy check` says: how words are read, and that nothing is run. */
type Fixed = 'style' | 'safe' | 'resources';

const additions: Record<Exclude<keyof SubcommandData, Fixed>, unknown> = {
  ...{ harmless: '-n', risky: '-n', groups: ['own', 'tool'], aliases: ['b'], does: ['c'], words: 'x,y z' },
  also: [{ 'first-operand': 'any', does: ['c'] }],
  ...{ 'operands-in-any-case': true, runs: 'x', gives: ['-x'], 'operands-give': { '+': ['-x'] } },
  ...{ 'before-slash': '-x', 'list-from': 1, 'list-from-with': { '-x': 1 }, 'unclear-operands': ['x'] },
  ...{ 'other-lines': ['x'], 'runs-operands': true, 'runs-package': true, 'run-programs': ['-x'] },
};

test.each(Object.entries(additions))(
  'A-467 what a policy adds to a known sub-command is as if Clawrden said it: %s',
  (key, value) => {
    const grammarWith = (one: object) =>
      compileTool(
        toolData.parse({
          ...{ source: 'x', style: 'gnu', harmless: '-q' },
          'option-groups': { own: { risky: '-x,--long=' } },
          subcommands: { a: one, c: { does: [] } },
        }),
      );
    const seen = ({ subcommands }: ToolGrammar) => {
      const { spellings = [], ...one } = subcommands?.get('a') ?? {};
      return { ...one, spellings: new Set(spellings.map((words) => words.join(' '))) };
    };
    const known = grammarWith({ groups: ['own'], does: [] });
    const extended = extendGrammar(known, grammarWith({ [key]: value }));
    expect(seen(extended)).toEqual(seen(grammarWith({ groups: ['own'], does: [], [key]: value })));
    expect(seen(extended)).not.toEqual(seen(known));
  },
);

/** Refused of a known tool (file/taught-tools.test.ts), of no effect alone, or functions, which no test can compare. */
type NotAdded =
  | ('source' | 'style' | 'bare-cluster' | 'numbers' | 'options-behind-first' | 'options-anywhere')
  | ('values-apart' | 'optional-behind-equals' | 'abbreviations' | 'sets-options' | 'interpreter')
  | ('settings' | 'plain-settings' | 'variables-among-operands' | 'operands-are-goals' | 'run-by-node')
  | ('option-groups' | 'subcommands' | 'resources')
  | ('operands' | 'refuse' | 'reader');

const toolAdditions: Record<Exclude<keyof ToolData, NotAdded>, unknown> = {
  ...{ harmless: '-n', risky: '-n=/', groups: ['base', 'own'], 'may-be-aliases': 'a', runs: 'x' },
  ...{ also: [{ 'first-operand': 'any', does: ['a'] }], bare: { does: ['a'] }, prints: ['-q'] },
  ...{ 'any-case': ['-q'], 'value-forms': { network: ['-q'] }, 'run-programs': ['-q'] },
  ...{ 'unclear-operands': ['x'], 'numbers-apart': ['-q'], 'optional-apart': ['-q'], 'two-values': ['-q'] },
  modules: { options: ['-q'], 'run-others': 'x' },
};

test.each(Object.entries(toolAdditions))(
  'A-495 what a policy adds to a known tool is as if Clawrden said it: %s',
  (key, value) => {
    const grammarWith = (more: object) => {
      const groups = { base: { harmless: '-q?' }, own: { risky: '-x,--long=' } };
      return compileTool(toolData.parse({ source: 'x', style: 'gnu', 'option-groups': groups, ...more }));
    };
    const seen = ({ areHarmless: _check, riskyValues: _find, ...rest }: ToolGrammar) => rest;
    const base = { groups: ['base'], subcommands: { a: {} } };
    const extended = extendGrammar(grammarWith(base), grammarWith({ [key]: value }));
    expect(seen(extended)).toEqual(seen(grammarWith({ ...base, [key]: value })));
    expect(seen(extended)).not.toEqual(seen(grammarWith(base)));
  },
);

test.each([
  [{ does: ['gone'] }, 'does', 'there is no sub-command "gone"'],
  [{ also: [{ options: ['-x'], does: ['gone'] }] }, 'does', 'there is no sub-command "gone"'],
  [{ also: [{ options: ['-y'], does: ['a'] }] }, 'options', 'there is no option "-y"'],
  [{ resources: true }, 'resources', 'the tool has no resources here'],
])('A-77 what %j names must be there', (one, key, what) => {
  const data = { source: 'x', style: 'gnu', subcommands: { a: { harmless: '-x', ...one } } };
  expect(findMissingNames(toolData.parse(data)).map(([path, said]) => [path.at(-1), said])).toEqual([
    [key, what],
  ]);
});

test.each([
  { does: ['a'] },
  { options: ['-x'], 'first-operand': ['b'], does: ['a'] },
  { containing: ['b'], 'first-operand': ['b'], does: ['a'] },
  { containing: ['b'], 'first-operand': 'given', does: ['a'] },
  { 'first-operand': 'any', 'later-operand': 'any', does: ['a'] },
  { options: ['-x'], does: [] },
])('A-77 %j says no condition, or two', (also) => {
  const data = { source: 'x', style: 'gnu', subcommands: { a: { harmless: '-x', also: [also] } } };
  expect(toolData.safeParse(data).success).toBe(false);
});
