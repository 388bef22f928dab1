/** `-x`, `--x`, `--x=y`; neither `-` nor `--`. */
export function isFlag(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-' && arg !== '--';
}

/** Whether the argument after this one may be its value. */
export function takesNext(arg: string | undefined): boolean {
  return arg !== undefined && isFlag(arg) && !arg.includes('=');
}

export function nameOf(arg: string): string {
  const equals = arg.indexOf('=');
  return equals === -1 ? arg : arg.slice(0, equals);
}

/** Where the flags end: at the first `--`, else behind the last argument. */
export function endOfFlags(args: readonly string[]): number {
  const at = args.indexOf('--');
  return at === -1 ? args.length : at;
}

/**
 * The same for a rule that must not be evaded: a `--` right behind a flag may be that flag's value, and then ends
 * nothing.
 */
export function latestEndOfFlags(args: readonly string[]): number {
  let at = args.indexOf('--');
  while (at !== -1 && takesNext(args[at - 1])) at = args.indexOf('--', at + 1);
  return at === -1 ? args.length : at;
}

/** No option of a rule is longer, nor are as many letters in a row. */
const longest = 260;

/** What a tool that we do not know may take a word for, as keys that can be looked up. */
interface Keys {
  /** Letters in a row behind one dash; absent where they are too many to be looked at. */
  readonly letters?: string;
  /** In small letters, `_` for `-`, without dashes and without what stands behind `=` or `:`; empty where it is none. */
  readonly name: string;
}

function keysOf(given: string): Keys {
  const isDouble = given.startsWith('--');
  if (given.length > longest) return isDouble ? { letters: '', name: '' } : { name: '' };
  const bare = given.slice(isDouble ? 2 : 1);
  const end = bare.search(/[=:]/);
  const name = end === -1 ? bare : bare.slice(0, end);
  if (isDouble) return { letters: name.length === 1 ? name : '', name: fold(name) };
  return { letters: nameOf(bare), name: name.length === 1 ? '' : fold(name) };
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** More options than anybody writes: a line that has more is not looked at any further. */
export const mostOptions = 2000;

/** Flags by all that they may be written as, each leading to what was said about it. Made once, asked for every command. */
export class FlagIndex<T> {
  readonly #written = new Map<string, T[]>();
  readonly #letters = new Map<string, T[]>();
  readonly #beginnings = new Map<string, T[]>();

  add(flag: string, about: T): void {
    push(this.#written, flag, about);
    const bare = flag.replace(/^--?/, '');
    if (bare.length === 1) return push(this.#letters, bare, about);
    const name = fold(bare);
    for (let end = 1; end <= name.length; end += 1) push(this.#beginnings, name.slice(0, end), about);
  }

  /** What was said about exactly these. */
  of(flags: Iterable<string>): ReadonlySet<T> {
    return new Set([...flags].flatMap((flag) => this.#written.get(flag) ?? []));
  }

  /** The same for what stands on a line as it is written. */
  written(args: readonly string[]): ReadonlySet<T> {
    return this.of(flagsBefore(args, endOfFlags(args)).map(nameOf));
  }

  /**
   * All that a tool which we do not know may take for them: bundled (`-xg`, `-gvalue`), abbreviated (`--glo`), with one dash or
   * two, in capitals, with `_` for `-`. Takes some other flags for them too, so it is only for rules that make the answer
   * stricter. Absent where there are too many to look at.
   */
  possible(args: readonly string[]): ReadonlySet<T> | undefined {
    const given = flagsBefore(args, latestEndOfFlags(args));
    if (given.length > mostOptions) return undefined;
    const keys = given.map(keysOf);
    const found = new Set<T>();
    for (const name of new Set(keys.map((one) => one.name)))
      for (const about of this.#beginnings.get(name) ?? []) found.add(about);
    for (const about of this.#withLetters(keys)) found.add(about);
    return found;
  }

  #withLetters(keys: readonly Keys[]): readonly T[] {
    const all = [...this.#letters];
    if (keys.some(({ letters }) => letters === undefined)) return all.flatMap(([, about]) => about);
    // Letters that share a place are taken for one another.
    const seen = new Uint8Array(128);
    for (const { letters = '' } of keys)
      for (let at = 0; at < letters.length; at += 1) seen[letters.charCodeAt(at) & 127] = 1;
    return all.flatMap(([letter, about]) => (seen[letter.charCodeAt(0) & 127] === 1 ? about : []));
  }
}

/** One more than anybody looks at where there are too many. */
function flagsBefore(args: readonly string[], end: number): string[] {
  const flags: string[] = [];
  for (let at = 0; at < end && flags.length <= mostOptions; at += 1) {
    const arg = args[at] ?? '';
    if (isFlag(arg)) flags.push(arg);
  }
  return flags;
}

function push<T>(map: Map<string, T[]>, key: string, one: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [one]);
  else if (list.at(-1) !== one) list.push(one);
}
