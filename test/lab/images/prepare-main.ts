import { makeMissing } from './prepare.ts';

try {
  process.stdout.write(await makeMissing());
} catch (error) {
  // The message says what to do, and the parent shows it as it is.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
