import { isFlag, nameOf } from '../arguments/flag.ts';
import type { Reading } from '../arguments/reading.ts';
import type { Option, ToolGrammar } from '../arguments/tools/grammar.ts';
import { byAnyDash } from './option-names.ts';

/**
 * The flags among these words that an allow rule may go by: the tool takes them for options, and nothing else that was
 * read undoes them. A switch is given once, without a value, and neither `--no-x` nor an option that means the
 * same with some value stands beside it. Of a tool that may end its options early it stands before any operand or value.
 */
export function lastingFlags(
  reading: Reading,
  words: { readonly args: readonly string[]; readonly from: number },
  { optionsAnywhere = false }: Pick<ToolGrammar, 'optionsAnywhere'> = {},
): ReadonlySet<string> {
  const written = flagsIn(reading, words);
  const attached = new Set([...written].filter((word) => word.includes('=')).map(nameOf));
  const times = timesOf(reading.given);
  const byName = optionsByName(times.keys());
  const early = optionsAnywhere ? undefined : new Set(reading.given.slice(0, reading.early));
  const lasting = [...times].filter(
    ([option, count]) => early?.has(option) !== false && lasts(option, count, byName),
  );
  return new Set(
    lasting.flatMap(([{ names, value }]) =>
      names
        .flatMap(byAnyDash)
        .filter((name) => written.has(name) || (value === 'required' && attached.has(name))),
    ),
  );
}

/**
 * The options of the line that may undo a flag, by a name of its own (`reset --soft --hard`), each by all its spellings:
 * switches that are not harmless, and what has a program run. Of what only looks, if all is harmless, it is every option
 * that is not, also one with a value: `tar -t -I ./prog`, `git diff --stat --output=x`; and every value that is risky:
 * `git log --oneline --format=%G?`. An operand that is risky has no spelling.
 */
export function findUndoing(reading: Reading, grammar: ToolGrammar): readonly (readonly string[])[] {
  const places = [grammar.runPrograms, reading.subcommand?.runPrograms, grammar.interpreter?.instead];
  const runs = [...places, grammar.interpreter?.loads].flatMap((names) => [...(names ?? [])]);
  const { subcommand } = reading;
  const mayLook = subcommand === undefined ? grammar.subcommands === undefined : subcommand.harmless;
  const undoing = [...new Set(reading.given)].filter(({ names, value, harmless }) => {
    const isValued = value === 'required' && !mayLook;
    return isValued ? names.some((name) => runs.includes(name)) : !harmless;
  });
  const risky = mayLook ? [...(grammar.riskyValues?.(reading) ?? [])] : [];
  return [...undoing, ...risky].map((option) => option?.names.flatMap(byAnyDash) ?? []);
}

/** The rule does not name all of them. */
export function isUndone(undoing: readonly (readonly string[])[], named: ReadonlySet<string>): boolean {
  return undoing.some((names) => !names.some((name) => named.has(name)));
}

/** Only options are looked at: a line may have many times as many operands. */
function flagsIn(
  { isOption }: Reading,
  { args, from }: { readonly args: readonly string[]; readonly from: number },
): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = isOption.indexOf(1, from); at !== -1; at = isOption.indexOf(1, at + 1)) {
    const word = args[at] ?? '';
    if (isFlag(word)) found.add(word);
  }
  return found;
}

function timesOf(given: readonly Option[]): ReadonlyMap<Option, number> {
  const times = new Map<Option, number>();
  for (const option of given) times.set(option, (times.get(option) ?? 0) + 1);
  return times;
}

function optionsByName(options: Iterable<Option>): ReadonlyMap<string, ReadonlySet<Option>> {
  const byName = new Map<string, Set<Option>>();
  for (const option of options)
    for (const name of meantBy(option)) byName.set(name, (byName.get(name) ?? new Set()).add(option));
  return byName;
}

/** With one dash: tools differ in how many they want. */
function meantBy({ names, alike = [] }: Option): readonly string[] {
  return [...names, ...alike].map(bare);
}

function bare(name: string): string {
  return name.length === 2 ? name : name.replace(/^--?/, '');
}

function lasts(option: Option, count: number, byName: ReadonlyMap<string, ReadonlySet<Option>>): boolean {
  if (option.value !== 'required' && count > 1) return false;
  const names = meantBy(option);
  if (names.some((name) => (byName.get(name)?.size ?? 0) > 1)) return false;
  return !names.some((name) => byName.has(undoneBy(name)));
}

function undoneBy(name: string): string {
  return name.startsWith('no-') ? name.slice('no-'.length) : `no-${name}`;
}
