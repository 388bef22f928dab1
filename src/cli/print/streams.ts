import { tell } from './tell.ts';

/** Writes to stdout. A reader may have seen enough, like `head`: then this command ends there with success. */
export function writeOut(text: string): void {
  if (!process.stdout.listeners('error').includes(endWithoutReader))
    process.stdout.on('error', endWithoutReader);
  process.stdout.write(text);
}

/** The same; resolves when its reader has taken it, or the system for it. */
export function writtenOut(text: string): Promise<void> {
  writeOut('');
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

function endWithoutReader(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit();
  tell(`clawrden: stdout: ${error.message}`);
  process.exit(1);
}
