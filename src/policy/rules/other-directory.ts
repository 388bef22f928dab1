import { nameOf } from '../arguments/flag.ts';
import type { Reading } from '../arguments/reading.ts';
import type { Option, OptionTable, ToolGrammar } from '../arguments/tools/grammar.ts';
import type { Rule } from '../policy.ts';
import { isLiteral } from './match-args.ts';

/** How a line has its tool work in another directory than the one where it starts. */
export interface OtherDirectory {
  readonly options: readonly Option[];
  /** What was not read may be such an option. */
  readonly mayFollow: boolean;
}

export function otherDirectoryOf(grammar: ToolGrammar, reading: Reading): OtherDirectory {
  const { sure, sureOfSubcommand, subcommand, given } = reading;
  const place = sureOfSubcommand ? (subcommand ?? grammar) : grammar;
  const isUntold = subcommand?.untold === true;
  return {
    options: [...new Set(given)].filter(({ isDirectory }) => isDirectory === true),
    mayFollow: !sure && (isUntold || hasDirectory(place.options)),
  };
}

/** The rule neither names the option nor says the whole line. */
export function isUnnamed({ options, mayFollow }: OtherDirectory, rule: Rule): boolean {
  if (!mayFollow && options.length === 0) return false;
  if (isLiteral(rule.args)) return false;
  return mayFollow || options.some(({ names }) => !names.some((name) => isNamedBy(rule, name)));
}

function isNamedBy({ args, flags = [] }: Rule, name: string): boolean {
  const isInArgs = args?.options.some(({ words }) => words.some((word) => nameOf(word) === name)) === true;
  return isInArgs || flags.includes(name);
}

function hasDirectory(table: OptionTable): boolean {
  return [...table.values()].some(({ isDirectory }) => isDirectory === true);
}
