import { join } from 'node:path';
import { run } from '../lab/command.ts';

/** Tests start the programs as they are shipped. */
export async function setup(): Promise<void> {
  await run([join(import.meta.dirname, '../../scripts/bundle'), 'programs'], { timeout: 300_000 });
}
