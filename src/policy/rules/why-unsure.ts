import { renderArgument } from '../../text/render-text.ts';
import type { CommandLine } from './command-line.ts';

const longestWord = 80;

/** One line: why a strict rule holds although nobody can tell whether it matches the command. */
export function whyUnsure({ facts, reading }: CommandLine): string {
  if (reading?.doubt === undefined) return 'the arguments are too many to be held against it';
  const word = reading.doubt.slice(0, longestWord);
  return `it is not understood what ${facts.tool} makes of ${renderArgument(word)}`;
}
