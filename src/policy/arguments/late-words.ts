import { fold, nameOf } from './flag.ts';
import type { Option, Style, ToolGrammar } from './tools/grammar.ts';

/** What a tool takes from words that stand where its options have ended. */
export interface LateWords {
  /** Each once. */
  readonly options: readonly Option[];
  /** A word that may be an option, or set some, and is not understood. */
  readonly doubt?: string;
}

/** Whether the tool looks for options among its operands at all: for most there is nothing to read. */
export function readsLate({ interpreter, setsOptions, unclearOperands }: ToolGrammar): boolean {
  return setsOptions !== undefined || unclearOperands !== undefined || interpreter !== undefined;
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

/** Also behind `--`, where some options are read too. */
export function readLate(grammar: ToolGrammar, operands: readonly string[]): LateWords {
  const { interpreter, setsOptions = [], unclearOperands } = grammar;
  const anywhere = interpreter?.anywhere ?? [];
  const [first = ''] = operands;
  // `node inspect`: what stands behind it is another line.
  if (interpreter?.words.has(first) === true) return { options: [], doubt: first };
  const unclear = findUnclear(unclearOperands, { operands });
  if (unclear !== undefined) return { options: [], doubt: unclear };
  if (anywhere.length === 0 && setsOptions.length === 0) return { options: [] };
  const options = new Map<string, Option>();
  for (const word of operands) {
    if (setsOptions.some((part) => word.includes(part))) return { options: [], doubt: word };
    const name = word.startsWith('-') ? fold(nameOf(word)) : '';
    if (!anywhere.some((start) => name.startsWith(start))) continue;
    const option = grammar.options.get(name) ?? (anywhere.includes(name) ? named(name) : undefined);
    if (option === undefined) return { options: [...options.values()], doubt: word };
    options.set(name, option);
  }
  return { options: [...options.values()] };
}

/** It is known only behind the operands. */
function named(name: string): Option {
  return { names: [name], value: 'optional', harmless: false };
}

/** Some options of npm take one of these words for their value, and leave any other to the tool. */
export function mayFollow(style: Style, word = ''): boolean {
  return style === 'nopt' && followers.has(word);
}

const followers = new Set(['true', 'false', 'null', 'always']);
