import type { ToolGrammar } from './tools/grammar.ts';

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
