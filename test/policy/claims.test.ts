import { expect, test } from 'vitest';
import { readArguments } from '../../src/policy/arguments/read-arguments.ts';
import { leavesOf, type Option } from '../../src/policy/arguments/tools/grammar.ts';
import { grammarOf, knownToolNames, words } from './command-lines.ts';
import { harmfulLines, stated } from './harmful-lines.ts';

/** By the data file of the tool. */
function riskyOptions(tool: string): Option[] {
  const { options, subcommands } = grammarOf(tool);
  const looking = leavesOf(subcommands).filter((one) => one.harmless);
  const tables = [options, ...looking.map((one) => one.options)];
  const all = new Set(tables.flatMap((table) => [...table.values()]));
  return [...all].filter(({ harmless }) => !harmless);
}

function shownOptions(tool: string): Set<Option> {
  const lines = harmfulLines.map((line) => (typeof line === 'string' ? words(line) : line));
  const own = lines.filter(([name = '']) => grammarOf(name) === grammarOf(tool));
  return new Set(own.flatMap(([, ...args]) => readArguments(grammarOf(tool), args).given));
}

const reasonsOf = (tool: string) => new Set(Object.values(stated[tool] ?? {}).flatMap(words));

test.each(knownToolNames)('every option of %s that is called risky is shown to be, or says why', (tool) => {
  const [shown, reasons] = [shownOptions(tool), reasonsOf(tool)];
  const unfounded = riskyOptions(tool).filter(
    (option) => !shown.has(option) && !option.names.some((name) => reasons.has(name)),
  );
  expect(unfounded.map(({ names }) => names.join(','))).toEqual([]);
});

test.each(knownToolNames)('no reason is given for an option of %s that does not need one', (tool) => {
  const shown = shownOptions(tool);
  const open = new Set(
    riskyOptions(tool)
      .filter((option) => !shown.has(option))
      .flatMap(({ names }) => names),
  );
  expect([...reasonsOf(tool)].filter((name) => !open.has(name))).toEqual([]);
});
