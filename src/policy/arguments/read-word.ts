import { readArguments } from './read-arguments.ts';
import type { Reading } from './reading.ts';
import type { ToolGrammar } from './tools/grammar.ts';

/** What stands for any value: no argument has this character. */
export const noValue = '\0';

/** Where options stand: before a sub-command, or behind it. */
export type OptionPlace = Pick<ToolGrammar, 'options'> & Partial<Pick<ToolGrammar, 'style'>>;

/** One word, as the tool reads it at that place with another word behind it. */
export function readWord(
  { style, numbers, valuesApart, optionalBehindEquals }: ToolGrammar,
  place: OptionPlace,
  words: readonly [word: string, next: string],
): Reading {
  const grammar = {
    ...{ options: place.options, style: place.style ?? style, numbers: numbers === true },
    ...{ valuesApart: valuesApart === true, optionalBehindEquals: optionalBehindEquals === true },
  };
  return readArguments(grammar, words);
}
