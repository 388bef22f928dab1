import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFiles } from '../../src/pki/state-files.ts';

/**
 * Whether a gateway was started on this state before. Remembers this start from now on: call it when the records are
 * there.
 */
export async function wasStartedBefore(state: string): Promise<boolean> {
  const text = `${new Date().toISOString()}\n`;
  try {
    await writeFile(join(state, stateFiles.firstStart), text, { flag: 'wx', mode: 0o600, flush: true });
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return true;
  }
}
