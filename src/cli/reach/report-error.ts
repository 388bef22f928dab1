import { CommanderError } from 'commander';
import { tell } from '../print/tell.ts';
import { CliError } from './cli-error.ts';

/** Says on stderr what ended a command. commander itself reports wrong usage. */
export function reportError(error: unknown): void {
  if (error instanceof CommanderError) return;
  const text = error instanceof Error ? error.message : String(error);
  tell(error instanceof CliError ? text : `clawrden: ${text}`);
}
