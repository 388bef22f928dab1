import { CommanderError } from 'commander';
import { escapeUnprintable } from '../render-text.ts';
import { CliError } from './cli-error.ts';

/** Says on stderr what ended a command. Wrong usage commander has told already. */
export function reportError(error: unknown): void {
  if (error instanceof CommanderError) return;
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${escapeUnprintable(error instanceof CliError ? text : `clawrden: ${text}`)}\n`);
}
