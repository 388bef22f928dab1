import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an identity folder holds: who to trust, and who its owner is. */
export const identityFiles = { authority: 'ca.pem', certificate: 'cert.pem', key: 'key.pem' } as const;

/** PEM, all three. */
export interface Identity {
  readonly authority: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** Rejects with Node's own error where a file cannot be read. */
export async function readIdentity(folder: string): Promise<Identity> {
  const [authority, certificate, key] = await Promise.all([
    readFile(join(folder, identityFiles.authority)),
    readFile(join(folder, identityFiles.certificate)),
    readFile(join(folder, identityFiles.key)),
  ]);
  return { authority, certificate, key };
}
