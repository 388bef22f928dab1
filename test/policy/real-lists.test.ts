import { describe, expect, test } from 'vitest';
import { leavesOf, type Subcommand } from '../../src/policy/arguments/tools/grammar.ts';
import { grammarOf } from './command-lines.ts';
import { ask } from './real-options.ts';
import { skipWithout } from './scratch.ts';

// The others take about a second for each sub-command.
const slow = { pip: '--help', npm: '--help', terraform: '-help' };
const helps = {
  ...{ git: '-h', docker: '--help', cargo: '--help' },
  ...(process.env['CLAWRDEN_LONG'] === '1' ? slow : {}),
};

/** Each has operands without an end, and of none of these is the first no more than the others. */
const reasons: Readonly<Record<string, readonly string[]>> = {
  'a command line of another program': [
    ...['docker create', 'docker run', 'docker exec', 'docker service create', 'npm exec'],
    ...['cargo bench', 'cargo run', 'cargo test', 'cargo rustc', 'cargo rustdoc', 'git merge-index'],
  ],
  'text to search for, or nothing': ['npm search', 'cargo search', 'cargo login'],
  'strategies of merge, attributes, ranges: the first says what the others are': [
    ...['git merge-ours', 'git merge-recursive', 'git check-attr', 'git range-diff', 'git commit-tree'],
  ],
  'a path below one package': ['npm edit'],
};
const excused = new Set(Object.values(reasons).flat());

/** The lines of its help that say how it is used, without options. */
function usagesOf(tool: string, words: readonly string[], help: string): readonly string[] {
  const used = new RegExp(`^\\s*(?:usage:|or:)?\\s*${tool} .*$`, 'gim');
  return (ask(tool, [...words, help]).match(used) ?? []).map((line) =>
    line.replaceAll(/\[?<?\[?options\]?>?\]?|\[\(?-[^\]]*\.\.\.\]|<[\w-]+>\.\.\.<[\w-]+>/gi, ''),
  );
}

describe('A-464 operands without an end are a list, as far as the tool says', () => {
  test.for(Object.entries(helps))('%s', { timeout: 300_000 }, ([tool, help], context) => {
    skipWithout(tool, context);
    const { subcommands, mayBeAliases } = grammarOf(tool);
    const isOpen = ({ name, spellings: [words = []], lists = [] }: Subcommand) =>
      lists.length === 0 &&
      !excused.has(`${tool} ${name}`) &&
      mayBeAliases?.has(name) !== true &&
      usagesOf(tool, words, help).some((line) => line.includes('...'));
    expect(
      leavesOf(subcommands)
        .filter(isOpen)
        .map(({ name }) => name),
    ).toEqual([]);
  });
});
