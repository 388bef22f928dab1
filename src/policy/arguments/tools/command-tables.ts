import { type OptionTable, options, type Style, type Subcommand, withOptions } from './grammar.ts';

/** What is the same for all sub-commands of a tool's data file. */
interface Common {
  /** The sub-commands that neither run nor write anything, by their first names. */
  readonly harmless?: ReadonlySet<string>;
  /** Of the options of these, the ones that do so all the same. */
  readonly risky?: ReadonlySet<string>;
  /** Each sub-command has these too. */
  readonly options?: OptionTable;
  /** Where their options may stand, if not as the tool's own. */
  readonly style?: Style;
}

type Named = readonly [name: string, Subcommand];

/**
 * Sub-commands as a data file writes them: `name|other.name: options`, a dot for a blank, each record on a line of its own, lines
 * that go on indented further. `--x+` is an option that `--no-x` undoes, which is another one. Behind `!` the first operand ends the
 * options. Each by all its names.
 */
export function commandsOf(text: string, common: Common = {}): readonly Named[] {
  return text
    .trim()
    .split(/\n {2}(?! )/)
    .flatMap((record) => {
      const [head = '', rest = ''] = record.split(/:(?:\s|$)/, 2);
      const [name = '', ...others] = head.replace('!', '').split('|');
      const one = subcommandOf([name, ...others], rest, common);
      const style = head.startsWith('!') ? 'posix' : common.style;
      const styled = style === undefined ? one : { ...one, style };
      return one.spellings.map((words): Named => [words.join(' '), styled]);
    });
}

function subcommandOf(names: readonly string[], text: string, common: Common): Subcommand {
  const [name = ''] = names;
  const harmless = common.harmless?.has(name) ?? false;
  const words = text.split(/\s+/).flatMap(withUndoing);
  const isRisky = (word: string) => !harmless || namesOf(word).some((one) => common.risky?.has(one));
  const own = options(words.filter((word) => !isRisky(word)).join(' '), words.filter(isRisky).join(' '));
  return {
    name: name.replaceAll('.', ' '),
    spellings: names.map((one) => one.split('.')),
    options: common.options === undefined ? own : withOptions(own, common.options),
    harmless,
  };
}

function withUndoing(word: string): string[] {
  if (!word.endsWith('+')) return [word];
  const option = word.slice(0, -1);
  const long = namesOf(option).find((name) => name.startsWith('--'));
  return [option, ...(long === undefined ? [] : [`--no-${long.slice(2)}`])];
}

function namesOf(word: string): string[] {
  return word.replace(/[=?]$/, '').split(',');
}

/** Those of several words below the one that sorts them. */
export function nested(all: Iterable<Named>): ReadonlyMap<string, Subcommand> {
  const top = new Map<string, Subcommand>();
  const below = new Map<string, Named[]>();
  for (const [name, one] of all) {
    const [first = '', ...rest] = name.split(' ');
    if (rest.length === 0) top.set(first, one);
    else below.set(first, [...(below.get(first) ?? []), [rest.join(' '), one]]);
  }
  for (const [name, inner] of below) top.set(name, sorting(name, nested(inner)));
  return top;
}

function sorting(name: string, inner: ReadonlyMap<string, Subcommand>): Subcommand {
  return { name, spellings: [[name]], options: options('--help'), harmless: false, subcommands: inner };
}
