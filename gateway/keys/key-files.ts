import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextFile } from '../../src/config/read-text-file.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { syncFolder } from '../audit/log-file.ts';

/** The file of the signing key that follows the present one. */
export interface NextKeyFile {
  /** Undefined if there is none. */
  readonly read: () => Promise<KeyObject | undefined>;
  /** The key in the file, or a new one that is on the disk when it resolves. */
  readonly make: () => Promise<KeyObject>;
  /** It becomes the present key's file. */
  readonly take: () => Promise<void>;
  readonly drop: () => Promise<void>;
}

export function nextKeyFile(folder: string): NextKeyFile {
  const file = join(folder, stateFiles.nextSigningKey);
  const read = async () => ((await isThere(file)) ? keyIn(file) : undefined);
  return {
    read,
    make: async () => (await read()) ?? (await writeNew(file)),
    take: async () => {
      await rename(file, join(folder, stateFiles.signingKey));
      await syncFolder(file);
    },
    drop: () => rm(file, { force: true }),
  };
}

async function isThere(file: string): Promise<boolean> {
  try {
    await (await open(file, 'r')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function keyIn(file: string): KeyObject {
  try {
    const key = createPrivateKey(readTextFile(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The same as a key of another kind.
  }
  const way = 'restore it from a backup of the state folder; if no record of the audit names it, remove it';
  throw new Error(`${file}: it holds no Ed25519 key that can be read; ${way}`);
}

/** Whole, or not under its name. */
async function writeNew(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
  await syncFolder(file);
  return privateKey;
}
