import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSecretFile } from './secret-file.ts';

/** What an identity folder holds: the authority to trust, and the owner's certificate and key. */
export const identityFiles = { authority: 'ca.pem', certificate: 'cert.pem', key: 'key.pem' } as const;

/** PEM, all three. */
export interface Identity {
  readonly authority: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/**
 * Writes the successor of this file beside it, PEM; that of the key first. What a process that ended began to take is
 * taken before.
 */
export async function stageIdentityFile(
  folder: string,
  file: keyof typeof identityFiles,
  text: string,
): Promise<void> {
  if (file === 'key') await takeLeftKey(folder);
  await writeSecretFile(stagedPath(folder, identityFiles[file]), text);
}

/** Replaces all three files by the successors beside them: the key at last, so until then the right one is beside it. */
export async function takeStagedIdentity(folder: string): Promise<void> {
  for (const name of Object.values(identityFiles)) await rename(stagedPath(folder, name), join(folder, name));
}

export async function dropStagedKey(folder: string): Promise<void> {
  await rm(stagedPath(folder, identityFiles.key), { force: true });
}

function stagedPath(folder: string, name: string): string {
  return join(folder, `${name}.new`);
}

/**
 * Rejects with Node's own error if a file cannot be read. If the certificate has got its successor and the key has not,
 * the key is that beside it; if no key is the certificate's, who uses them says so.
 */
export async function readIdentity(folder: string): Promise<Identity> {
  let found = await readFiles(folder);
  // Their successors may come between two of the reads.
  for (let again = 0; again < 2 && !isPair(found); again += 1) found = await readFiles(folder);
  return found;
}

async function readFiles(folder: string): Promise<Identity> {
  const [authority, certificate, key, left] = await Promise.all([
    readFile(join(folder, identityFiles.authority)),
    readFile(join(folder, identityFiles.certificate)),
    readFile(join(folder, identityFiles.key)).catch((error: Error) => error),
    readFile(stagedPath(folder, identityFiles.key)).catch(() => undefined),
  ]);
  const isOwn = key instanceof Buffer && isPair({ certificate, key });
  if (!isOwn && left !== undefined && isPair({ certificate, key: left }))
    return { authority, certificate, key: left };
  if (key instanceof Error) throw key;
  return { authority, certificate, key };
}

/** The key beside a certificate that is its already would be written over. */
async function takeLeftKey(folder: string): Promise<void> {
  const { key } = identityFiles;
  const [used, left] = await Promise.all([
    readIdentity(folder).catch(() => undefined),
    readFile(stagedPath(folder, key)).catch(() => undefined),
  ]);
  if (left !== undefined && used?.key.equals(left)) await rename(stagedPath(folder, key), join(folder, key));
}

function isPair({ certificate, key }: Pick<Identity, 'certificate' | 'key'>): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
