import { CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { program } from './program.ts';

// Not awaited at the top level: the launcher loads this file with require().
void main();

async function main(): Promise<void> {
  try {
    await program().parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** Exit status 2 for wrong usage, of which commander has told already; 1 for everything else. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof CliError ? `${text}\n` : `clawrden: ${text}\n`);
  return 1;
}
