import type { Subcommand, ToolGrammar } from './tools/grammar.ts';

/** The words by which a rule may name sub-commands of this tool: their own names, and its aliases for these. */
export function subcommandWords(
  grammar: ToolGrammar | undefined,
  names: ReadonlySet<string>,
): readonly string[] {
  const aliases = [...(grammar?.subcommands ?? [])].flatMap(([word, { name }]) =>
    names.has(name) ? [word] : [],
  );
  return [...names, ...aliases];
}

/** The first words of all their spellings: `rmi` is `image rm`, so a strict rule about `image` is about it, too. */
export function firstWordsOf(subcommands: readonly (Subcommand | undefined)[]): readonly string[] {
  const spellings = subcommands.flatMap((one) => one?.spellings ?? []);
  return [...new Set(spellings.flatMap(([first = '']) => first))];
}
