import { findSubcommand } from '../arguments/find-subcommand.ts';
import { leavesOf, type Subcommand, type ToolGrammar } from '../arguments/tools/grammar.ts';
import type { Rule } from '../policy.ts';
import type { ArgPattern } from '../rules/match-args.ts';
import { plainWordsOf } from './plain-words.ts';
import { interpreters, isOneOf, wrappers } from './risky-tools.ts';

type Subcommands = ReadonlyMap<string, Subcommand>;

/** What the data of a tool knows that it runs, on lines that a rule lets through; without a rule on any line. */
export interface Runs {
  /** Because a file says so that its agent may have written. */
  readonly byFiles?: string;
  /** Because the line says so. */
  readonly byLine?: string;
}

export function whatRuns(name: string, grammar: ToolGrammar, rule?: Rule): Runs {
  const { subcommands = new Map<string, Subcommand>() } = grammar;
  const isSafe = rule?.safeArguments === true;
  const leaves = leavesLetThrough(grammar, rule);
  // Sub-commands that only look were looked at; of a tool without any, nobody can say what its configuration names.
  const isLook = isSafe && grammar.subcommands !== undefined;
  const byFiles =
    leaves.flatMap((one) => runsBesides(one, subcommands) ?? [])[0] ?? (isLook ? undefined : grammar.runs);
  const isTyped = !isSafe && (takesPrograms(name, grammar) || leaves.some(isLineOfOthers));
  return {
    ...(byFiles === undefined ? {} : { byFiles }),
    ...(isTyped ? { byLine: 'programs that its line names' } : {}),
  };
}

/** What a sub-command runs by itself, or by the work of others that it does. */
export function runsBesides({ runs, does = [] }: Subcommand, all: Subcommands): string | undefined {
  return runs ?? does.flatMap((name) => all.get(name)?.runs ?? [])[0];
}

function takesPrograms(name: string, { subcommands, runPrograms }: ToolGrammar): boolean {
  if (runPrograms !== undefined) return true;
  return subcommands === undefined && (isOneOf(interpreters, name) || isOneOf(wrappers, name));
}

function isLineOfOthers({ otherLines, runPrograms, runsOperands, runsPackage }: Subcommand): boolean {
  return (
    otherLines !== undefined || runPrograms !== undefined || runsOperands === true || runsPackage === true
  );
}

function leavesLetThrough({ subcommands, ...rest }: ToolGrammar, rule: Rule | undefined): Subcommand[] {
  if (subcommands === undefined) return [];
  const byArgs =
    rule?.args === undefined
      ? leavesOf(subcommands)
      : leavesBehind(subcommands, rule.args.items, (word) => findSubcommand({ ...rest, subcommands }, word));
  return byArgs.filter(
    (one) => (rule?.safeArguments !== true || one.harmless) && isNamed(one, rule?.subcommands),
  );
}

function isNamed({ name, spellings }: Subcommand, wanted: ReadonlySet<string> | undefined): boolean {
  return wanted === undefined || wanted.has(name) || spellings.some(([word = '']) => wanted.has(word));
}

/** Those to which words lead that begin with these items; all of them if an item may be an option, or any word. */
function leavesBehind(
  all: Subcommands,
  [item, ...rest]: ArgPattern['items'],
  find: (word: string) => Subcommand | undefined,
): readonly Subcommand[] {
  if (item === undefined) return [];
  const words = plainWordsOf(item);
  const isPlain =
    item !== '**' && words.length === item.length && !words.some((word) => word.startsWith('-'));
  if (!isPlain) return leavesOf(all);
  return words
    .flatMap((word) => find(word) ?? [])
    .flatMap((one) => {
      const { subcommands: below } = one;
      return below === undefined ? [one] : leavesBehind(below, rest, (word) => below.get(word));
    });
}
