import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an identity folder holds: the authority to trust, and the owner's certificate and key. */
export const identityFiles = { authority: 'ca.pem', certificate: 'cert.pem', key: 'key.pem' } as const;

/** PEM, all three. */
export interface Identity {
  readonly authority: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** Writes the successors of these files beside them. PEM. */
export async function stageIdentityFile(
  folder: string,
  file: keyof typeof identityFiles,
  text: string,
): Promise<void> {
  await writeFile(stagedPath(folder, identityFiles[file]), text, { mode: 0o600 });
}

/** Replaces all three files by the successors beside them. */
export async function takeStagedIdentity(folder: string): Promise<void> {
  for (const name of Object.values(identityFiles)) await rename(stagedPath(folder, name), join(folder, name));
}

export async function dropStagedKey(folder: string): Promise<void> {
  await rm(stagedPath(folder, identityFiles.key), { force: true });
}

function stagedPath(folder: string, name: string): string {
  return join(folder, `${name}.new`);
}

/** Rejects with Node's own error if a file cannot be read. */
export async function readIdentity(folder: string): Promise<Identity> {
  const [authority, certificate, key] = await Promise.all([
    readFile(join(folder, identityFiles.authority)),
    readFile(join(folder, identityFiles.certificate)),
    readFile(join(folder, identityFiles.key)),
  ]);
  return { authority, certificate, key };
}
