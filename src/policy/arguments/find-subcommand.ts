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
