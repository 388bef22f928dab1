import { doesBareWork } from './implied-work.ts';
import type { Reading } from './reading.ts';
import type { ToolGrammar } from './tools/grammar.ts';

/**
 * Whether nothing on the line makes the tool run another program, or write a file that is not its purpose. A word
 * must be known as harmless; an abbreviation or an unknown option is not.
 */
export function hasSafeArguments(grammar: ToolGrammar, reading: Reading): boolean {
  return (
    (reading.subcommand?.harmless ?? !doesBareWork(grammar, reading.given)) &&
    hasSafeOptions(grammar, reading)
  );
}

/** The same, whatever the sub-command does by itself. */
export function hasSafeOptions(grammar: ToolGrammar, reading: Reading): boolean {
  return (
    reading.sure &&
    reading.given.every(({ harmless }) => harmless) &&
    (grammar.areHarmless?.(reading) ?? true)
  );
}
