/**
 * How a tool finds its options among its arguments. `gnu`, like getopt_long: options anywhere before `--`, clusters,
 * abbreviated long options. `posix`: the same, but the first operand ends the options. `words`: each option is one
 * word with one or two dashes: no clusters, no abbreviations, and `--` ends nothing. `nopt`: the number of dashes
 * does not matter, the text after `=` is the next word, and a value is never a flag.
 */
export const styles = ['gnu', 'posix', 'words', 'nopt'] as const;

export type Style = (typeof styles)[number];

/** How tools write a setting on their line. */
export const settingForms = ['ssh', 'git', 'toml'] as const;

export type SettingForm = (typeof settingForms)[number];

/** What a tool takes in several forms as the value of an option. */
export const valueForms = [
  'network',
  'capability',
  'added-capability',
  'security-option',
  'gpus',
  'module-path',
  'perl-module',
] as const;

export type ValueForm = (typeof valueForms)[number];

export interface Option {
  /** All its spellings, with their dashes. */
  readonly names: readonly string[];
  readonly value: 'none' | 'required' | 'optional';
  /** It neither runs a program nor writes a file, with any value, or with one of `values`. */
  readonly harmless: boolean;
  /** Other options that mean the same with some value. */
  readonly alike?: readonly string[];
  /** With it the tool works in another directory, or on what is in another. */
  readonly isDirectory?: true;
  /**
   * For an option with values that change what runs: the values that do not; `#` means any digits. With any other
   * value nothing about the line is certain.
   */
  readonly values?: ReadonlySet<string>;
}

export interface Subcommand {
  readonly name: string;
  /** All its words: its name, its aliases, and the words after a command that only groups others. */
  readonly spellings: readonly (readonly string[])[];
  readonly options: OptionTable;
  /** Nothing is known about its options, so nothing behind it that may be one is understood. */
  readonly untold?: true;
  /** It only groups others (`docker container`): the next word is one of these. */
  readonly subcommands?: ReadonlyMap<string, Subcommand>;
  /** Where its options may stand, if that differs from the tool's. */
  readonly style?: Style;
  /** If its options and operands are harmless, it runs only itself and writes only what it is for. */
  readonly harmless: boolean;
  /** What else it runs, because a file of the agent's says so. */
  readonly runs?: string;
  /** The sub-commands whose work it also does: rules that deny or ask about them hold for it too. */
  readonly does?: readonly string[];
  readonly also?: readonly ImpliedWork[];
  /** First operands that say what it does (`rm` of `remote`), each with all that mean the same, and itself. */
  readonly words?: ReadonlyMap<string, readonly string[]>;
  /** Its operands name settings, which the tool reads in any case. */
  readonly operandsInAnyCase?: true;
  /** Its operands name resources, in any of the ways in which kubectl takes them. */
  readonly resources?: Resources;
  /** Options that it has without their being written. */
  readonly gives?: readonly Option[];
  /** The same if an operand begins so. */
  readonly operandsGive?: ReadonlyMap<string, readonly Option[]>;
  /** An option whose value an operand may say, before a `/` that stands before a `:`. */
  readonly beforeSlash?: Option;
  /** Lists among its operands. */
  readonly lists?: readonly OperandList[];
  /** Beginnings of its operands that are not understood. */
  readonly unclearOperands?: readonly string[];
  /** The same, and what it does may be the work of any other sub-command. */
  readonly otherLines?: readonly string[];
  /** Its operands are a command of another program; without them it takes commands from stdin. */
  readonly runsOperands?: boolean;
  /** Its first operand is a package, of which it runs a program. */
  readonly runsPackage?: true;
  /** As `runPrograms` of the tool. */
  readonly runPrograms?: ReadonlySet<string>;
}

/** Operands from one on, counted from 1, of which the first is no more than the others. */
export interface OperandList {
  readonly from: number;
  /** Only with this option, or this first operand. */
  readonly only?: string;
}

/** The options that run a module by its name, and the modules that run others. */
export interface Modules {
  readonly options: ReadonlySet<string>;
  readonly runOthers: ReadonlySet<string>;
}

/** Kinds of resources of a cluster. */
export interface Resources {
  /** Each name, with all that mean the same, and itself. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Words that stand for several kinds. */
  readonly categories: ReadonlyMap<string, readonly string[]>;
}

/** Sub-commands whose work a line also does because of one of its options, or of its first operand. */
export interface ImpliedWork {
  readonly does: readonly string[];
  /** One of these is given, by any of its names. */
  readonly options?: ReadonlySet<string>;
  /** Only with one of these, in small letters, in the value, or in an operand. */
  readonly containing?: readonly string[];
  /** Not with one of these. */
  readonly except?: ReadonlySet<string>;
  /** `given`: there is an operand before a `--`; `none`: there is no such operand, but perhaps some behind `--`. */
  readonly firstOperand?: ReadonlySet<string> | 'any' | 'given' | 'none';
  /** There is an operand behind the first. */
  readonly laterOperand?: 'any';
}

export type OptionTable = ReadonlyMap<string, Option>;

export interface ToolGrammar {
  readonly style: Style;
  /** Options of the tool itself; if it has sub-commands, the options before one. */
  readonly options: OptionTable;
  readonly subcommands?: ReadonlyMap<string, Subcommand>;
  /** The names of its options, and of its sub-commands', that lead to another directory. */
  readonly directories?: readonly string[];
  /**
   * If true, the tool accepts any unique beginning of a sub-command. If a list: these, and a capital for a dash and
   * its letter.
   */
  readonly abbreviations?: ReadonlyMap<string, Subcommand>;
  /** Not built in everywhere: if one is missing, an alias that a file of the agent's makes is run by its name. */
  readonly mayBeAliases?: ReadonlySet<string>;
  /** Its first word is a cluster even without a dash, and values follow in order (tar). */
  readonly bareCluster?: boolean;
  /** `-5` is a number that belongs to it. */
  readonly numbers?: boolean;
  /** Options may also stand after the first operand, and end at the second (ssh). */
  readonly optionsBehindFirst?: boolean;
  /** None of its sub-commands takes what stands behind an operand for anything but an option. */
  readonly optionsAnywhere?: boolean;
  /** In a cluster the values are the next arguments, never the rest of the word (shells). */
  readonly valuesApart?: boolean;
  /** An optional value stands after `=`, also in a cluster; without it other options follow (pflag). */
  readonly optionalBehindEquals?: boolean;
  /** Node runs it, and reads some words of its line for itself. */
  readonly runByNode?: boolean;
  /** Options whose values it reads in any case. */
  readonly anyCase?: ReadonlySet<string>;
  /** Options whose values have several forms. */
  readonly valueForms?: ReadonlyMap<string, ValueForm>;
  /** These values are settings in this form, and nothing else is understood in them. */
  readonly settings?: SettingForm;
  /** The names of settings that change nothing about what it does, or all of such a setting; others are not understood. */
  readonly plainSettings?: ReadonlySet<string>;
  /** Options that have a program run, which may be the tool itself with any line. */
  readonly runPrograms?: ReadonlySet<string>;
  /** Only with one of these, and without operands, does it run nothing. Absent: the tool runs nothing that it is given. */
  readonly prints?: ReadonlySet<string>;
  /** It runs the file that its first operand names. */
  readonly interpreter?: Interpreter;
  /** What each of its sub-commands also does. */
  readonly also?: readonly ImpliedWork[];
  /** The work of a line without a sub-command, unless it has one of these options. */
  readonly bare?: { readonly does: readonly string[]; readonly unless: ReadonlySet<string> };
  /** What it runs that its arguments do not show. Absent: nothing, unless its sub-command is not harmless. */
  readonly runs?: string;
  /** Parts of a word: an operand with one of them sets options, or has the tool evaluate text that can. */
  readonly setsOptions?: readonly string[];
  /** Beginnings of operands that are not understood. */
  readonly unclearOperands?: readonly string[];
  /** An operand with `=` sets a variable, and patterns may leave it out. */
  readonly variablesAmongOperands?: boolean;
  /** Its operands are goals of make: others may be made on the way. */
  readonly operandsAreGoals?: boolean;
  /** Options whose optional value, if it is a number, may be the next word. */
  readonly numbersApart?: ReadonlySet<string>;
  /** Options whose optional value may be the next word, or that is an operand. */
  readonly optionalApart?: ReadonlySet<string>;
  /** Options that take the next two words. */
  readonly twoValues?: ReadonlySet<string>;
  readonly modules?: Modules;
  /** Whether the operands, or the values of options, are harmless too. Absent: they always are. */
  readonly areHarmless?: (reading: Words) => boolean;
  /** Options whose value there runs or writes something; `undefined` stands for an operand that does. */
  readonly riskyValues?: (reading: Words) => ReadonlySet<Option | undefined>;
}

/** How a tool finds what it runs; options by their names. */
export interface Interpreter {
  /** With one of these no operand is run: the program is their value, or a module that it names. */
  readonly instead: ReadonlySet<string>;
  /** Their value is a file, or a name that the tool looks up, that runs first. */
  readonly loads: ReadonlySet<string>;
  /** They change where the tool finds what it loads besides its program. */
  readonly alters: ReadonlySet<string>;
  /** Beginnings of words that it also reads behind the program's name. */
  readonly anywhere: readonly string[];
  /** First operands that are not files. */
  readonly words: ReadonlySet<string>;
  /** It removes `..` from a file's name as text, so after a link the path leads elsewhere than for the kernel. */
  readonly joinsPaths: boolean;
  /** A name that does not end with this stands for another file. */
  readonly loadedEnding: string;
}

/** The rest of a command line without its options. */
export interface Words {
  readonly subcommand?: Subcommand;
  readonly given: readonly Option[];
  readonly operands: readonly string[];
  readonly values: readonly OptionValue[];
}

export interface OptionValue {
  readonly option: Option;
  readonly text: string;
}

/**
 * Options as a data file writes them, separated by blanks: `-v,--verbose` takes no value; `-f,--file=` needs one
 * (attached, or the next argument); `--color?` may have one attached; `-o={a|b}` and `--warn?{a|b}` are known only
 * with one of these; with `-C=/`, `-p?/` or `--global/` the tool works elsewhere; `--x+` is an option that
 * `--no-x` undoes, and that is another option; `-c~--check` is another spelling of the second, with its own way to take
 * a value.
 */
export function options(harmless: string, risky = ''): OptionTable {
  const all = [...parse(harmless, true), ...parse(risky, false)];
  return new Map(all.flatMap((option) => option.names.map((name) => [name, option] as const)));
}

/** Without the words that only group others, and with these in their place; each once. */
export function leavesOf(all: ReadonlyMap<string, Subcommand> = new Map()): readonly Subcommand[] {
  const leaves = [...all.values()].flatMap((one) =>
    one.subcommands === undefined ? [one] : leavesOf(one.subcommands),
  );
  return [...new Set(leaves)];
}

/** Every beginning of a name or alias that only one sub-command has. */
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

/** Reads `more` as well; if both know an option, the first counts. */
export function withOptions(first: OptionTable, more: OptionTable): OptionTable {
  return new Map([...more, ...first]);
}

function parse(text: string, harmless: boolean): Option[] {
  return wordsOf(text)
    .flatMap(withUndoing)
    .map((word) => {
      const [written = '', ...others] = word.split('~');
      const [said = '', listed] = written.split('{');
      const isDirectory = said.endsWith('/');
      const spelled = isDirectory ? said.slice(0, -1) : said;
      const last = spelled.at(-1);
      const value = last === '=' ? 'required' : last === '?' ? 'optional' : 'none';
      const names = (value === 'none' ? spelled : spelled.slice(0, -1)).split(',');
      const values = listed === undefined ? {} : { values: new Set(listed.slice(0, -1).split('|')) };
      return {
        ...{ names, value, harmless, ...values },
        ...(isDirectory && { isDirectory }),
        ...(others.length > 0 && { alike: others }),
      };
    });
}

function withUndoing(word: string): string[] {
  if (!word.endsWith('+')) return [word];
  const option = word.slice(0, -1);
  const long = option
    .replace(/[=?]?\/?$/, '')
    .split(',')
    .find((name) => name.startsWith('--'));
  return [option, ...(long === undefined ? [] : [`--no-${long.slice(2)}`])];
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
