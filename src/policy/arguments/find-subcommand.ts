import { smallLetters } from '../small-letters.ts';
import type { Subcommand, ToolGrammar } from './tools/grammar.ts';

/** The sub-command that the tool reads in `word`. */
export function findSubcommand(
  { subcommands, abbreviations }: ToolGrammar,
  word: string,
): Subcommand | undefined {
  const exact = subcommands?.get(word);
  if (exact !== undefined || abbreviations === undefined || word.length > longestName) return exact;
  const dashed = withoutCapitals(word);
  return subcommands?.get(dashed) ?? abbreviations.get(dashed);
}

/**
 * The word of a sub-command also stands before it as the value of an option. pip, and cobra before 1.7, find the
 * sub-command and take the first such word out of the line: what is left is another line.
 */
export function standsBefore(read: {
  readonly args: readonly string[];
  readonly isOption: Uint8Array;
  readonly from: number;
  /** The position behind its word. */
  readonly at: number;
}): boolean {
  const { args, isOption, from, at } = read;
  const word = args[at - 1] ?? '';
  for (let place = args.indexOf(word, from); place < at - 1; place = args.indexOf(word, place + 1))
    if (isOption[place] === 1) return true;
  return false;
}

/** No tool has a longer one. */
const longestName = 40;

/** npm's `installTest` is `install-test`. */
function withoutCapitals(word: string): string {
  if (!/[A-Z]/.test(word)) return word;
  let text = '';
  for (const letter of word) {
    const isCapital = letter >= 'A' && letter <= 'Z';
    text += isCapital ? `-${smallLetters(letter)}` : letter;
  }
  return text;
}
