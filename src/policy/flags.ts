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
  const at = args.findIndex((arg, index) => arg === '--' && !takesNext(args[index - 1]));
  return at === -1 ? args.length : at;
}

/** `-x`, `--x`, `--x=y`; neither `-` nor `--`. */
export function isFlag(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-' && arg !== '--';
}

/** Whether the argument after this one may be its value. */
export function takesNext(arg: string | undefined): boolean {
  return arg !== undefined && isFlag(arg) && !arg.includes('=');
}

/** What stands before `--`, each without its value. */
export function literalNames(args: readonly string[]): ReadonlySet<string> {
  return new Set(args.slice(0, endOfFlags(args)).map(nameOf));
}

/** `flag` itself or `flag=…`, before `--`. */
export function hasFlag(flag: string, args: readonly string[]): boolean {
  return literalNames(args).has(flag);
}

/** Every flag that may be one, without its value. */
export function generousNames(args: readonly string[]): readonly string[] {
  return args.slice(0, latestEndOfFlags(args)).filter(isFlag).map(nameOf);
}

/**
 * Anything that a tool may take for `flag`: bundled (`-xg`, `-gvalue`) or abbreviated (`--glo`). Takes some other
 * flags for it too, so it is only for rules that make the answer stricter.
 */
export function mayBeAmong(flag: string, names: readonly string[]): boolean {
  return names.some((name) => mayBe(flag, name));
}

export function mayHaveFlag(flag: string, args: readonly string[]): boolean {
  return mayBeAmong(flag, generousNames(args));
}

function mayBe(flag: string, given: string): boolean {
  if (flag.length === 2) return !given.startsWith('--') && given.includes(flag.slice(1), 1);
  const name = withoutDashes(given);
  // Some tools take one dash for two.
  if (name === withoutDashes(flag)) return true;
  return given.startsWith('--') && withoutDashes(flag).startsWith(name);
}

export function nameOf(arg: string): string {
  const equals = arg.indexOf('=');
  return equals === -1 ? arg : arg.slice(0, equals);
}

function withoutDashes(flag: string): string {
  return flag.startsWith('--') ? flag.slice(2) : flag.slice(1);
}
