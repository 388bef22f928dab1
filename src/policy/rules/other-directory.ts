import { nameOf, withoutDashes } from '../arguments/flag.ts';
import type { Reading } from '../arguments/reading.ts';
import { mayHaveOption } from '../arguments/run-programs.ts';
import { leavesOf, type Option, type Subcommand, type ToolGrammar } from '../arguments/tools/grammar.ts';
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
    options: [...new Set(reading.given)].filter(isDirectory),
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

/** Where options stand. */
type Place = Pick<ToolGrammar, 'options'> & Pick<Subcommand, 'untold'>;

function mayFollow(grammar: ToolGrammar, reading: Reading, args: readonly string[]): boolean {
  const own: Place = reading.subcommand ?? grammar;
  const all: readonly Place[] = [grammar, ...leavesOf(grammar.subcommands)];
  const places = reading.sureOfSubcommand ? [own] : all;
  if (own.untold === true || places.some((place) => directoriesOf(place).length > 0)) return true;
  if (!reading.sureOfSubcommand && mayBeUntold(grammar, args.slice(reading.at - 1))) return true;
  // The data may lack the option of one sub-command that another one has.
  const names = all.flatMap(directoriesOf).filter((name) => !own.options.has(name));
  return mayHaveOption([...new Set(names)].map(withoutDashes), { args, from: reading.at - 1 });
}

/** A sub-command whose options nobody told may be the one that is meant. */
function mayBeUntold({ subcommands }: ToolGrammar, unread: readonly string[]): boolean {
  return leavesOf(subcommands).some(
    ({ untold, spellings }) => untold === true && spellings.flat().some((word) => unread.includes(word)),
  );
}

function directoriesOf({ options }: Place): readonly string[] {
  return [...options].flatMap(([name, option]) => (isDirectory(option) ? [name] : []));
}

function isDirectory(option: Option): boolean {
  return option.isDirectory === true;
}
