import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFiles } from '../../src/pki/state-files.ts';

/** The people of this file are in the database from now on: the next start looks for no file. */
export async function markTaken(state: string): Promise<void> {
  try {
    await rename(join(state, stateFiles.operators), join(state, stateFiles.operatorsTaken));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
