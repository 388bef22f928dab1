import { join } from 'node:path';
import { packageRoot } from '../../src/package-root.ts';
import { run } from '../lab/command.ts';

/** The dashboard as its sources are now. */
export async function buildPages(): Promise<void> {
  await run([join(packageRoot(), 'scripts/bundle'), 'dashboard'], { timeout: 300_000 });
}
