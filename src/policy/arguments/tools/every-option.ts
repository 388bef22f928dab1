import { leavesOf, type Option, type ToolGrammar } from './grammar.ts';

type Tables = Pick<ToolGrammar, 'options' | 'subcommands'>;

/** The options of the tool and of each of its sub-commands, by each of their names. */
export function everyOption({ options, subcommands }: Tables): readonly (readonly [string, Option])[] {
  return [options, ...leavesOf(subcommands).map((one) => one.options)].flatMap((table) => [...table]);
}

/** The names of those that lead to another directory, each once. */
export function directoriesIn(tables: Tables): readonly string[] {
  const found = everyOption(tables).filter(([, { isDirectory }]) => isDirectory === true);
  return [...new Set(found.map(([name]) => name))];
}
