import { describe, expect, test } from 'vitest';
import { leavesOf } from '../../src/policy/arguments/tools/grammar.ts';
import { allIfLong } from '../fixtures/sampled.ts';
import { grammarOf } from './command-lines.ts';
import { holds, oneRule } from './one-rule.ts';
import { ask } from './real-options.ts';
import { skipWithout } from './scratch.ts';

/** An option of which the tool's help says that it means another one. */
interface Pair {
  readonly words: readonly string[];
  readonly name: string;
  readonly other: string;
}

const meaning =
  /\b(?:same as|alias(?:es)? (?:for|of|to)|equivalent (?:to|of)|synonym (?:for|of)|short(?:hand|cut|er)? (?:for|of)|identical to)\s+[`'"‘]?(--?[A-Za-z][\w-]*)/i;

/** What stands below an option is about it. */
function pairsIn(words: readonly string[], help: string): readonly Pair[] {
  return help.split(/\n(?=\s{1,12}-)/).flatMap((entry) => {
    const text = entry.split(/\n\s*\n/)[0]?.replaceAll(/\s+/g, ' ') ?? '';
    const [, name] = /^ ?(--?[A-Za-z0-9][\w-]*)/.exec(text) ?? [];
    const [, other] = meaning.exec(text) ?? [];
    return name === undefined || other === undefined ? [] : [{ words, name, other }];
  });
}

function lineOf(tool: string, { words, name }: Pair): readonly string[] {
  const { options, subcommands } = grammarOf(tool);
  const leaf = leavesOf(subcommands).find((one) =>
    one.spellings.some((spelled) => spelled.join() === words.join()),
  );
  const option = (leaf?.options ?? options).get(name);
  return [...words, name, ...(option?.value === 'required' ? ['1'] : [])];
}

/** By the option that prints the help. */
const tools: Readonly<Record<string, string>> = {
  ...{ cargo: '--help', docker: '--help', gh: '--help', git: '-h', kubectl: '--help', pip: '--help' },
  ...{ gawk: '--help', grep: '--help', make: '--help', node: '--help', sed: '--help', sort: '--help' },
  ...{ tar: '--help', perl: '--help', ruby: '--help' },
};

describe('A-437 P7: an option of which the help of its tool says that it is another one', () => {
  test.for(Object.entries(tools))('%s', { timeout: 300_000 }, ([tool, help], context) => {
    skipWithout(tool, context);
    const leaves = leavesOf(grammarOf(tool).subcommands).map(({ spellings: [first = []] }) => first);
    const commands = leaves.length === 0 ? [[]] : allIfLong(leaves, 12);
    const pairs = commands.flatMap((words) => pairsIn(words, ask(tool, [...words, help])));
    const open = pairs.filter(
      (pair) => !holds(oneRule(tool, { flags: [pair.other] }), tool, lineOf(tool, pair)),
    );
    expect(open.map((pair) => `${pair.other}: ${tool} ${lineOf(tool, pair).join(' ')}`)).toEqual([]);
  });

  test('is found in texts of each form', () => {
    const text = `
  -y          same as '--sort=numeric'
      --all   Alias for --workspace (deprecated)
  -x, --xx    synonym for
              --yy
  -z          something else`;
    expect(pairsIn([], text).map(({ name, other }) => [name, other])).toEqual([
      ['-y', '--sort'],
      ['--all', '--workspace'],
      ['-x', '--yy'],
    ]);
  });
});
