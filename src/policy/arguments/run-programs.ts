import { isFlag, nameOf, withoutDashes } from './flag.ts';
import type { Option, Subcommand, ToolGrammar } from './tools/grammar.ts';

/** Whether that option has a program run: one that its value names, or one in a folder or a file that it names. */
export function runsProgram(
  grammar: ToolGrammar,
  one: Subcommand | undefined,
  option: Option,
  text: string | undefined,
): boolean {
  return isListed(grammar, one, option) && (text === undefined || option.values?.has(text) !== true);
}

/** An option of the tool is not one of a sub-command that has the same name (`docker service create --config`). */
function isListed({ options, runPrograms }: ToolGrammar, one: Subcommand | undefined, option: Option) {
  return option.names.some(
    (name) =>
      one?.runPrograms?.has(name) === true ||
      (runPrograms?.has(name) === true && (options.get(name) ?? option) === option),
  );
}

/** What was not read may have a program run. */
export function mayRunProgram(grammar: ToolGrammar, one: Subcommand | undefined, unread: Unread): boolean {
  const all = new Set([...grammar.options.values(), ...(one?.options.values() ?? [])]);
  const listed = [...all].filter((option) => isListed(grammar, one, option));
  const isOwn = (option: Option) => option.names.every((name) => grammar.options.get(name) !== option);
  if (listed.length === 0 || listed.some(isOwn)) return listed.length > 0;
  // The tool's own options are those of every line: only a line that seems to have one.
  return mayHaveOption(
    listed.flatMap((option) => option.names.map(withoutDashes)),
    unread,
  );
}

/** The words from there on. */
interface Unread {
  readonly args: readonly string[];
  readonly from: number;
}

/** One of them may be one of these options, by their names without dashes. */
export function mayHaveOption(names: readonly string[], { args, from }: Unread): boolean {
  for (let at = from; at < args.length; at += 1) if (mayName(names, args[at] ?? '')) return true;
  return false;
}

/** Abbreviated, or in a row of letters. */
function mayName(names: readonly string[], word: string): boolean {
  if (!isFlag(word)) return false;
  const bare = withoutDashes(nameOf(word));
  return names.some((name) =>
    name.length === 1 ? bare.includes(name) : name.startsWith(bare) || bare.startsWith(name),
  );
}
