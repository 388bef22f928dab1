import { smallLetters } from '../small-letters.ts';
import { fold, isFlag, nameOf } from './flag.ts';
import type { Style, Subcommand, ToolGrammar } from './tools/grammar.ts';
import { runners } from './tools/runner-data.ts';
import { opaqueTools, wrapperData } from './tools/wrapper-data.ts';

/**
 * Beginnings of words that node reads wherever they stand on the line of a program that it runs, also behind `--`. What
 * they name can have it load anything. Which programs node runs (npm, tsc), their names do not say.
 */
const readByNode: readonly string[] = ['--experimental-config-file', '--experimental-default-config-file'];

/** The same of what node certainly runs, or may: other tools have options that are called so. */
export const readIfByNode: readonly string[] = [...readByNode, '--env-file'];

/**
 * How the words begin from which the tool, or node before it, may read more options than stand on the line; wherever
 * they are. `grammar`: absent if the tool is not known.
 */
export function beginningsReadAgain(grammar: ToolGrammar | undefined): readonly string[] {
  // What stands behind its options is the line of another tool (ssh, wrappers).
  if (grammar?.style === 'posix' && grammar.interpreter === undefined) return [];
  if (grammar?.interpreter !== undefined) return [...readByNode, ...grammar.interpreter.anywhere];
  return grammar === undefined || grammar.runByNode === true ? readIfByNode : readByNode;
}

/** The places, from there on, of options that begin with one of these in any case. */
export function* placesBeginning(
  beginnings: readonly string[],
  args: readonly string[],
  from: number,
): Generator<number> {
  if (beginnings.length === 0) return;
  for (let at = from; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (!isFlag(word)) continue;
    if (beginsAsOneOf(word, beginnings)) yield at;
  }
}

/** In any case, up to a `=`. */
export function beginsAsOneOf(word: string, beginnings: readonly string[]): boolean {
  const name = fold(nameOf(word));
  return beginnings.some((start) => name.startsWith(start));
}

/** More operands than any person writes, if each must be looked at: a line with more is not understood. */
export const mostOperands = 1000;

/** There are more, and what the tool does depends on each. */
export function hasTooManyOperands({
  grammar,
  subcommand,
  operandCount,
}: {
  readonly grammar: ToolGrammar;
  readonly subcommand?: Subcommand;
  readonly operandCount: number;
}): boolean {
  if (operandCount <= mostOperands) return false;
  const { unclearOperands, operandsGive, otherLines, beforeSlash } = subcommand ?? {};
  return [
    ...[grammar.setsOptions, grammar.unclearOperands],
    ...[unclearOperands, operandsGive, otherLines, beforeSlash],
  ].some((said) => said !== undefined);
}

/**
 * The first operand of which nobody can be sure what the tool makes of it. Blanks before it may not count.
 * To have the operands takes a look at each word: they are asked for only if the tool has such beginnings.
 */
export function findUnclear(
  beginnings: readonly string[] | undefined,
  reading: { readonly operands: readonly string[] },
): string | undefined {
  if (beginnings === undefined) return undefined;
  const letters = new Set(beginnings.map((start) => start.charAt(0)));
  // Most words of a long line begin with another letter.
  const mayBegin = (word: string) => {
    const first = word.charAt(0);
    return letters.has('') || letters.has(first) || !(first > ' ' && first <= '~');
  };
  return reading.operands.find((word) => {
    if (!mayBegin(word)) return false;
    const text = word.trimStart();
    return beginnings.some((start) => text.startsWith(start));
  });
}

/**
 * The first operand that may be another line of the tool. If the operands are a command, also one that runs others; and
 * if there are none, commands come from stdin.
 */
export function findOtherLine(reading: {
  readonly subcommand?: Pick<Subcommand, 'name' | 'otherLines' | 'runsOperands' | 'runsPackage'>;
  readonly operands: readonly string[];
}): string | undefined {
  const { otherLines, name, runsOperands, runsPackage } = reading.subcommand ?? {};
  // To have the operands takes a look at each word.
  if (otherLines === undefined && runsPackage !== true) return undefined;
  const { operands } = reading;
  const [first] = operands;
  if (runsPackage === true && first !== undefined && !isPlainPackage(first)) return first;
  if (otherLines === undefined) return undefined;
  const isAny = otherLines.includes('');
  if (operands.length === 0) return runsOperands === true || isAny ? name : undefined;
  if (runsOperands !== true) return findUnclear(otherLines, reading);
  return operands.find((word) => mayRunLines(programIn(word), otherLines));
}

const packageManagers = ['npm', 'pnpm', 'yarn', 'corepack'];

/** How npm tells that it is a folder or a file: by its beginning or its end. */
const isOfDisk = /(?:^|@)\.|\.(?:tgz|tar(?:\.gz)?)(?:@|$)/;

/**
 * Not an alias, an address, a repository, a folder or a file, whose program has a name that does not stand there; and
 * not of a package manager's scope.
 */
function isPlainPackage(word: string): boolean {
  if (isOfDisk.test(smallLetters(word))) return false;
  const [, scope] = /^(?:@([\w.~-]+)\/)?[\w.~-]+(?:@[^:/\\@]*)?$/.exec(word) ?? ['', undefined];
  return scope === undefined
    ? !/[:/\\]/.test(word)
    : !packageManagers.some((start) => smallLetters(scope).startsWith(start));
}

function mayRunLines(program: string, others: readonly string[]): boolean {
  return (
    runners.has(program) ||
    wrapperData.has(program) ||
    opaqueTools.has(program) ||
    others.some((start) => program.startsWith(start))
  );
}

/** The name of the program that a word of a command names: without its folder, and without a package's version. */
function programIn(word: string): string {
  const text = word.trim();
  const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const at = last.indexOf('@');
  return smallLetters(at === -1 ? last : last.slice(0, at));
}

/** The first operand that may be an option, or set some; also behind `--`. */
export function findLate(
  { interpreter, setsOptions, unclearOperands }: ToolGrammar,
  reading: { readonly operands: readonly string[] },
): string | undefined {
  // For most tools there is nothing to read.
  if (setsOptions === undefined && unclearOperands === undefined && interpreter === undefined)
    return undefined;
  const [first = ''] = reading.operands;
  // `node inspect`: what stands behind it is another line.
  if (interpreter?.words.has(first) === true) return first;
  return (
    findUnclear(unclearOperands, reading) ??
    (setsOptions && reading.operands.find((word) => setsOptions.some((part) => word.includes(part))))
  );
}

/** Some options of npm take one of these words for their value, and leave any other to the tool. */
export function mayFollow(style: Style, word = ''): boolean {
  return style === 'nopt' && followers.has(word);
}

const followers = new Set(['true', 'false', 'null', 'always', 'auto', 'never']);
