import { fold, isFlag, nameOf } from './flag.ts';
import type { Style, ToolGrammar } from './tools/grammar.ts';

/**
 * Beginnings of words that node reads wherever they stand on the line of a program that it runs, also behind `--`. What
 * they name can have it load anything. Which programs node runs (npm, tsc), their names do not say.
 */
const readByNode: readonly string[] = ['--experimental-config-file', '--experimental-default-config-file'];

/** The same, and options of other tools are called so. */
const readByNodeAlone: readonly string[] = ['--env-file'];

/**
 * How the words begin from which the tool, or node before it, may read more options than stand on the line; wherever
 * they are. `grammar`: absent if the tool is not known.
 */
export function beginningsReadAgain(grammar: ToolGrammar | undefined): readonly string[] {
  // What stands behind its options is the line of another tool (ssh, wrappers).
  if (grammar?.style === 'posix' && grammar.interpreter === undefined) return [];
  if (grammar?.interpreter !== undefined) return [...readByNode, ...grammar.interpreter.anywhere];
  return grammar === undefined || grammar.runByNode === true
    ? [...readByNode, ...readByNodeAlone]
    : readByNode;
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
    const name = fold(nameOf(word));
    if (beginnings.some((start) => name.startsWith(start))) yield at;
  }
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

const followers = new Set(['true', 'false', 'null', 'always']);
