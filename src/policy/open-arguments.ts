import { isFlag, nameOf } from './flags.ts';
import { isCluster, type Reading } from './read-arguments.ts';
import type { OptionTable, ToolGrammar } from './tools/grammar.ts';

/** Nobody writes more than one flag behind the `=` of another. */
const maxDepth = 8;

/**
 * A command line with its options written so that a rule by their names meets them, for rules that must not be evaded
 * where it is not sure how the tool takes it apart; the arguments themselves where it is. Absent: it may be anything.
 */
export function openArguments(
  grammar: ToolGrammar,
  { sure, hasIdleEnd }: Reading,
  args: readonly string[],
): readonly string[] | undefined {
  if (sure) return args;
  // What stands behind a `--` that may end nothing may be options.
  const open = hasIdleEnd ? args.filter((arg) => arg !== '--') : args;
  const [first = ''] = open;
  if (grammar.bareCluster === true && first !== '' && !first.startsWith('-'))
    return [`-${first}`, ...open.slice(1)];
  if (grammar.style !== 'nopt') return open;
  const spelled = open.map((arg) => spelledOut(arg, grammar.options));
  return spelled.some((words) => words === undefined) ? undefined : spelled.flatMap((words) => words ?? []);
}

/** nopt takes what stands behind `=` for the next word, which may be a flag again. */
function spelledOut(arg: string, table: OptionTable): string[] | undefined {
  const words: string[] = [];
  let rest = arg;
  for (let depth = 0; isFlag(rest); depth += 1) {
    if (depth === maxDepth) return undefined;
    const name = nameOf(rest);
    const names = namesOf(name, table);
    if (names === undefined) return undefined;
    words.push(...names);
    if (name.length === rest.length) return words;
    rest = rest.slice(name.length + 1);
  }
  return [...words, rest];
}

/** With any number of dashes, as letters in a row, and with any `no-`: `--no-x false` is `--x`. */
function namesOf(flag: string, table: OptionTable): string[] | undefined {
  let at = 0;
  while (flag.charAt(at) === '-') at += 1;
  while (flag.slice(at, at + 3).toLowerCase() === 'no-') at += 3;
  const bare = flag.slice(at);
  // Nameless, it may still take the word behind it.
  if (bare === '') return ['---'];
  if (!isCluster(table, bare)) return [flag, `--${bare}`];
  // A letter takes what the next one stands for, and leaves the rest of that for a word.
  const takesLetter = Array.from(bare.slice(0, -1)).some((one) => table.get(`-${one}`)?.value !== 'none');
  return takesLetter ? undefined : [flag, `--${bare}`, `-${bare}`];
}
