/**
 * How a tool finds its options among its arguments. `gnu`, as getopt_long: options anywhere before `--`, clusters, abbreviated long
 * ones. `posix`: the same, but the first operand ends the options. `words`: each option is one word behind one dash, or two: no
 * clusters, no abbreviations, and `--` ends nothing. `nopt`: dashes are not counted, what stands behind `=` is the next word, and a
 * value is never a flag.
 */
export const styles = ['gnu', 'posix', 'words', 'nopt'] as const;

export type Style = (typeof styles)[number];

export interface Option {
  /** All its spellings, with their dashes. */
  readonly names: readonly string[];
  readonly value: 'none' | 'required' | 'optional';
  /** It neither runs a program nor writes a file, whatever its value is: any, or one of `values`. */
  readonly harmless: boolean;
  /** Others that are the same with some value. */
  readonly alike?: readonly string[];
  /** Where some values change what runs: those that do not; `#` is any digits. With any other nothing is sure about the line. */
  readonly values?: ReadonlySet<string>;
}

export interface Subcommand {
  readonly name: string;
  /** All the words that mean it: its name, its aliases, and those behind a command that only sorts others. */
  readonly spellings: readonly (readonly string[])[];
  readonly options: OptionTable;
  /** It only sorts others (`docker container`): the next word is one of these. */
  readonly subcommands?: ReadonlyMap<string, Subcommand>;
  /** Where its options may stand, if not as the tool's. */
  readonly style?: Style;
  /** It runs nothing but itself and writes nothing but what it is for, if its options and operands are harmless. */
  readonly harmless: boolean;
  /** What it runs besides, as a file of the agent's says. */
  readonly runs?: string;
  /** The sub-commands whose work it does too on its way: what is refused or asked of them is of it. */
  readonly does?: readonly string[];
}

export type OptionTable = ReadonlyMap<string, Option>;

export interface ToolGrammar {
  readonly style: Style;
  /** Of the tool itself; where it has sub-commands, what may stand before one. */
  readonly options: OptionTable;
  readonly subcommands?: ReadonlyMap<string, Subcommand>;
  /** The tool takes any beginning of a sub-command that only one has, and a capital for a dash and its letter: those. */
  readonly abbreviations?: ReadonlyMap<string, Subcommand>;
  /** Its first word is a cluster also without a dash, and values follow in order (tar). */
  readonly bareCluster?: boolean;
  /** `-5` is a number that belongs to it. */
  readonly numbers?: boolean;
  /** Options may also stand behind the first operand, and end at the second (ssh). */
  readonly optionsBehindFirst?: boolean;
  /** In a cluster the values are the next arguments, never the rest of the word (shells). */
  readonly valuesApart?: boolean;
  /** A value that may be left out stands behind `=`, also in a cluster: other options follow without one (pflag). */
  readonly optionalBehindEquals?: boolean;
  /** What it runs that its arguments do not say. Absent: nothing, unless its sub-command is not harmless. */
  readonly runs?: string;
  /** Whether the operands, or the values of options, are harmless too. Absent: they always are. */
  readonly areHarmless?: (reading: Words) => boolean;
}

/** What is left of a command line once the options are taken apart. */
export interface Words {
  readonly subcommand?: Subcommand;
  readonly operands: readonly string[];
  readonly values: readonly OptionValue[];
}

export interface OptionValue {
  readonly option: Option;
  readonly text: string;
}

/**
 * Options as a data file writes them, between blanks: `-v,--verbose` takes no value, `-f,--file=` needs one (attached or
 * the next argument), `--color?` may have one attached; `-o={a|b}` and `--warn?{a|b}` are known only with one of
 * these; `--x+` is an option that `--no-x` undoes, which is another one; `-c~--check` is a spelling of the other, with its own way to
 * take a value.
 */
export function options(harmless: string, risky = ''): OptionTable {
  const all = [...parse(harmless, true), ...parse(risky, false)];
  return new Map(all.flatMap((option) => option.names.map((name) => [name, option] as const)));
}

/** `name,alias…`, each with the same options. */
export function subcommands(
  names: string,
  table: OptionTable = new Map(),
  harmless = true,
): readonly (readonly [name: string, Subcommand])[] {
  return wordsOf(names).flatMap((word) => {
    const spellings = word.split(',');
    const [name = ''] = spellings;
    const one = { name, spellings: spellings.map((spelling) => [spelling]), options: table, harmless };
    return spellings.map((spelling) => [spelling, one] as const);
  });
}

/** `install-test: install test` in each line: what the one does, the others do as well. */
export function withImplied(
  all: readonly (readonly [name: string, Subcommand])[],
  lines: string,
): ReadonlyMap<string, Subcommand> {
  const named = new Map(all);
  for (const line of lines.trim().split('\n')) {
    const [name = '', ...does] = wordsOf(line.replace(':', ' '));
    const one = named.get(name);
    if (one === undefined) throw new Error(`there is no sub-command ${name}`);
    const more = { ...one, does };
    for (const words of one.spellings) named.set(words.join(' '), more);
  }
  return named;
}

/** Those that only sort others left out, and these there instead; each once. */
export function leavesOf(all: ReadonlyMap<string, Subcommand> = new Map()): readonly Subcommand[] {
  const leaves = [...all.values()].flatMap((one) =>
    one.subcommands === undefined ? [one] : leavesOf(one.subcommands),
  );
  return [...new Set(leaves)];
}

/** Every beginning of a name or an alias that only one sub-command has. */
export function abbreviationsOf(all: ReadonlyMap<string, Subcommand>): ReadonlyMap<string, Subcommand> {
  const meant = new Map<string, Subcommand | undefined>();
  for (const [name, one] of all) {
    for (let end = 1; end <= name.length; end += 1) {
      const start = name.slice(0, end);
      meant.set(start, meant.has(start) && meant.get(start) !== one ? undefined : one);
    }
  }
  return new Map([...meant].flatMap(([start, one]) => (one === undefined ? [] : [[start, one] as const])));
}

/** `more` is read as well; where both know an option, the first does. */
export function withOptions(first: OptionTable, more: OptionTable): OptionTable {
  return new Map([...more, ...first]);
}

function parse(text: string, harmless: boolean): Option[] {
  return wordsOf(text)
    .flatMap(withUndoing)
    .map((word) => {
      const [written = '', ...others] = word.split('~');
      const [spelled = '', listed] = written.split('{');
      const last = spelled.at(-1);
      const value = last === '=' ? 'required' : last === '?' ? 'optional' : 'none';
      const names = (value === 'none' ? spelled : spelled.slice(0, -1)).split(',');
      const values = listed === undefined ? {} : { values: new Set(listed.slice(0, -1).split('|')) };
      return { names, value, harmless, ...values, ...(others.length === 0 ? {} : { alike: others }) };
    });
}

function withUndoing(word: string): string[] {
  if (!word.endsWith('+')) return [word];
  const option = word.slice(0, -1);
  const long = option
    .replace(/[=?]$/, '')
    .split(',')
    .find((name) => name.startsWith('--'));
  return [option, ...(long === undefined ? [] : [`--no-${long.slice(2)}`])];
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
