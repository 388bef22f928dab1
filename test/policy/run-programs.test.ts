import { expect, test } from 'vitest';
import { runsProgram } from '../../src/policy/arguments/run-programs.ts';
import { leavesOf, type Option, type Subcommand } from '../../src/policy/arguments/tools/grammar.ts';
import { grammarOf, knownToolNames } from './command-lines.ts';
import { holds, oneRule } from './one-rule.ts';

/** The option with a program of the agent's, in each way in which it can be written. */
function formsOf({ names, value }: Option): readonly (readonly string[])[] {
  return names.flatMap((name) => {
    if (value === 'none') return [[name]];
    const attached = name.length > 2 ? [`${name}=./evil`] : [`${name}./evil`];
    return value === 'required' ? [attached, [name, './evil']] : [attached];
  });
}

const tools = knownToolNames.filter((tool) => {
  const { runPrograms, subcommands } = grammarOf(tool);
  return runPrograms !== undefined && subcommands !== undefined;
});

function linesOf(tool: string): readonly (readonly [own: Subcommand, line: readonly string[]])[] {
  const grammar = grammarOf(tool);
  const listed = (all: Iterable<Option>, one?: Subcommand) =>
    [...new Set(all)].filter((option) => runsProgram(grammar, one, option, './evil')).flatMap(formsOf);
  return leavesOf(grammar.subcommands).flatMap((one) => {
    const words = one.spellings[0] ?? [];
    return [
      ...listed(grammar.options.values()).map((form) => [...form, ...words]),
      ...listed(one.options.values(), one).flatMap((form) => [
        [...words, ...form],
        [...words, 'x', ...form],
      ]),
    ].map((line) => [one, line] as const);
  });
}

test.each(tools)('A-211 P7 a line of %s that has a program run is denied by a deny of anything', (tool) => {
  const leaves = leavesOf(grammarOf(tool).subcommands);
  const others = leaves.filter((_, at) => at % 20 === 0);
  const policies = others.map((one) => [one, oneRule(tool, { subcommands: new Set([one.name]) })] as const);
  const lines = linesOf(tool);
  expect(lines.length).toBeGreaterThan(0);
  const open = lines.flatMap(([own, line]) =>
    policies
      .filter(([other, policy]) => other !== own && !holds(policy, tool, line))
      .map(([other]) => `${other.name}: ${line.join(' ')}`),
  );
  expect(open).toEqual([]);
});
