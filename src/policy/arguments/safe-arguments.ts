import type { Reading } from './read-arguments.ts';
import type { ToolGrammar } from './tools/grammar.ts';

/**
 * Whether nothing on the line makes the tool run another program, or write a file that is not what it is for. Only what is
 * known to be harmless is; an abbreviation or an option that we do not know is not.
 */
export function hasSafeArguments(grammar: ToolGrammar, reading: Reading): boolean {
  return (reading.subcommand?.harmless ?? true) && hasSafeOptions(grammar, reading);
}

/** The same, whatever the sub-command does by itself. */
export function hasSafeOptions(grammar: ToolGrammar, reading: Reading): boolean {
  return (
    reading.sure &&
    reading.given.every(({ harmless }) => harmless) &&
    (grammar.areHarmless?.(reading) ?? true)
  );
}
