import { CommanderError } from 'commander';
import { program } from './program.ts';
import { reportError } from './reach/report-error.ts';

// No top-level await: the launcher loads this file with require().
void main();

/** Exit status 0 done, 1 refused or failed, 2 wrong usage. */
async function main(): Promise<void> {
  try {
    await program().parseAsync();
  } catch (error) {
    reportError(error);
    process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : 1;
  }
}
