import { nameOf, withoutDashes } from '../arguments/flag.ts';
import type { Reading } from '../arguments/reading.ts';
import { mayHaveOption } from '../arguments/run-programs.ts';
import { leavesOf, type Option, type ToolGrammar } from '../arguments/tools/grammar.ts';
import type { Rule } from '../policy.ts';
import { isLiteral } from './match-args.ts';

/** How a line has its tool work in another directory than the one where it starts. */
export interface OtherDirectory {
  readonly options: readonly Option[];
  /** What was not read may be such an option. */
  readonly mayFollow: boolean;
}

export function otherDirectoryOf(
  grammar: ToolGrammar,
  reading: Reading,
  args: readonly string[],
): OtherDirectory {
  return {
    options: [...new Set(reading.given)].filter(({ isDirectory }) => isDirectory),
    mayFollow: !reading.sure && mayFollow(grammar, reading, args),
  };
}

/** The rule neither names the option nor says the whole line. */
export function isUnnamed({ options, mayFollow: isOpen }: OtherDirectory, rule: Rule): boolean {
  if (!isOpen && options.length === 0) return false;
  if (isLiteral(rule.args)) return false;
  return isOpen || options.some(({ names }) => !names.some((name) => isNamedBy(rule, name)));
}

function isNamedBy({ args, flags = [] }: Rule, name: string): boolean {
  const isInArgs = args?.options.some(({ words }) => words.some((word) => nameOf(word) === name)) === true;
  return isInArgs || flags.includes(name);
}

function mayFollow(grammar: ToolGrammar, reading: Reading, args: readonly string[]): boolean {
  const { options } = reading.subcommand ?? grammar;
  const { directories = [] } = grammar;
  const isKnown = reading.sureOfSubcommand;
  const here = isKnown ? directories.filter((name) => options.get(name)?.isDirectory) : directories;
  if (reading.subcommand?.untold === true || here.length > 0) return true;
  if (!isKnown && mayBeUntold(grammar, args.slice(reading.at - 1))) return true;
  // The data may lack the option of one sub-command that another one has.
  const names = directories.filter((name) => !options.has(name));
  return mayHaveOption(names.map(withoutDashes), { args, from: reading.at - 1 });
}

/** A sub-command whose options nobody told may be the one that is meant. */
function mayBeUntold({ subcommands }: ToolGrammar, unread: readonly string[]): boolean {
  return leavesOf(subcommands).some(
    ({ untold, spellings }) => untold === true && spellings.flat().some((word) => unread.includes(word)),
  );
}
