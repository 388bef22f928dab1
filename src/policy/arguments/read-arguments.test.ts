import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMember } from './goal-words.ts';
import { findUnclear } from './late-words.ts';
import { readArguments } from './read-arguments.ts';
import { runsProgram } from './run-programs.ts';
import { leavesOf, type Option, type ToolGrammar } from './tools/grammar.ts';
import { knownTools } from './tools/known-tools.ts';

interface Given {
  readonly option: Option;
  readonly text: string;
}

const plainText = fc.constantFrom('a', 'b.txt', 'x=y', '/app/x', '0', '{}', 'é');

function withText(
  { anyCase, settings, modules, plainSettings, valueForms }: ToolGrammar,
  option: Option,
): fc.Arbitrary<Given> {
  // A text without any form is no setting.
  if (settings !== undefined && option.names.some((name) => anyCase?.has(name)))
    return fc.constant({ option, text: [...(plainSettings ?? ['x=y'])][0] ?? '' });
  if (option.names.some((name) => valueForms?.has(name))) return fc.constant({ option, text: 'x' });
  if (option.names.some((name) => modules?.options.has(name))) return fc.constant({ option, text: 'x' });
  const known = [...(option.values ?? [])].map((one) => (one === '#' ? '7' : one));
  const text = known.length === 0 ? plainText : fc.constantFrom(...known);
  return fc.record({ option: fc.constant(option), text });
}

function optionsOf(grammar: ToolGrammar): Option[] {
  const all = new Set(grammar.options.values());
  const isClear = (name: string) =>
    grammar.interpreter?.anywhere.some((start) => name.startsWith(start)) !== true;
  return [...all].filter(
    (option) =>
      option.value !== 'optional' &&
      option.names.every(isClear) &&
      !runsProgram(grammar, undefined, option, undefined),
  );
}

/** One spelling that its tool takes for the same option. */
function spellings(
  { style, valuesApart = style === 'nopt', twoValues }: ToolGrammar,
  { option: { names, value }, text }: Given,
): string[][] {
  return names.flatMap((name) => {
    if (value === 'none') return [[name]];
    if (twoValues?.has(name) === true) return [[name, text, text]];
    const isLetter = name.length === 2 && style !== 'words' && !valuesApart;
    const attached = name.startsWith('--') ? [[`${name}=${text}`]] : isLetter ? [[`${name}${text}`]] : [];
    return [[name, text], ...attached];
  });
}

const commands = fc.constantFrom(...new Set(knownTools.values())).chain((grammar) =>
  fc.record({
    grammar: fc.constant(grammar),
    given: fc.array(
      fc.constantFrom(...optionsOf(grammar)).chain((option) => withText(grammar, option)),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
    ways: fc.infiniteStream(fc.nat(1000)),
  }),
);

const shape = (args: readonly string[], grammar: ToolGrammar) => {
  const { sure, given, values, operands } = readArguments(grammar, args);
  return { sure, given, values: values.map(({ text }) => text), operands };
};

test('P7 however the options of a known tool are spelled, they are read as the same', () => {
  fc.assert(
    fc.property(commands, ({ grammar, given, ways }) => {
      const args = given.flatMap((one) => {
        const all = spellings(grammar, one);
        return all[(ways.next().value ?? 0) % all.length] ?? [];
      });
      expect(shape(args, grammar)).toEqual({
        sure: true,
        given: given.map(({ option }) => option),
        values: given.filter(({ option }) => option.value === 'required').map(({ text }) => text),
        operands: [],
      });
    }),
    { numRuns: 2000 },
  );
});

test('P7 what stands behind -- is read as it stands, and reading that again changes nothing', () => {
  const grammars = [...new Set(knownTools.values())].filter(
    ({ style, subcommands, bareCluster }) =>
      style !== 'words' && subcommands === undefined && bareCluster !== true,
  );
  fc.assert(
    fc.property(fc.constantFrom(...grammars), fc.array(fc.string({ maxLength: 6 })), (grammar, words) => {
      fc.pre(!words.some((word) => grammar.setsOptions?.some((part) => word.includes(part))));
      fc.pre(findUnclear(grammar.unclearOperands, { operands: words }) === undefined);
      fc.pre(grammar.variablesAmongOperands !== true || !words.some((word) => word.includes('=')));
      fc.pre(grammar.operandsAreGoals !== true || (words.length <= 50 && !words.some(isMember)));
      const once = readArguments(grammar, ['--', ...words]);
      expect(once).toMatchObject({ sure: true, given: [], operands: words });
      expect(readArguments(grammar, ['--', ...once.operands]).operands).toEqual(words);
    }),
  );
});

test('P7 a sub-command by an alias, or behind one that sorts it, is the sub-command', () => {
  for (const grammar of knownTools.values()) {
    for (const subcommand of leavesOf(grammar.subcommands)) {
      if (grammar.mayBeAliases?.has(subcommand.name) === true) continue;
      if (findUnclear(subcommand.otherLines, { operands: ['x'] }) !== undefined) continue;
      for (const words of subcommand.spellings) {
        const reading = readArguments(grammar, [...words, 'x']);
        const pathAt = words.map((_, at) => at);
        expect(reading).toMatchObject({ subcommand, pathAt, sureOfSubcommand: true, operands: ['x'] });
      }
    }
  }
});

test.each([
  ['find', ['--', '.', '-delete'], '-delete'],
  ['pip', ['--', 'list', '--log=x'], '--log'],
  ['ssh', ['host', '-oProxyCommand=x', 'ls'], '-o'],
])('P7 %s %j is not sure to be harmless', (tool, args, flag) => {
  const grammar = knownTools.get(tool)!;
  const reading = readArguments(grammar, args);
  const isGiven = reading.given.some(({ names }) => names.includes(flag));
  expect(isGiven || !reading.sure).toBe(true);
});
