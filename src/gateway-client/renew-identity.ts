import { X509Certificate } from 'node:crypto';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readIdentity } from '../pki/identity-files.ts';
import { isRenewalDue } from '../pki/renewal-due.ts';
import type { GatewayClient } from './connect-gateway.ts';
import { renew } from './renew.ts';

const staleMs = 60_000;

/**
 * Renews the identity of a folder that several programs use for a moment each, in the last third of its life, and when other authorities count. Empty, or
 * why it ends soon; never rejects.
 */
export async function renewIdentity(
  client: Pick<GatewayClient, 'call' | 'authority'>,
  folder: string,
): Promise<string> {
  try {
    const identity = await readIdentity(folder);
    if (!isRenewalDue(identity, client.authority())) return '';
    const until = new X509Certificate(identity.certificate).validToDate.toISOString();
    return await renewAlone(client, folder).catch(
      (error: Error) => `it ends on ${until}, and could not be renewed: ${error.message}`,
    );
  } catch {
    // The command itself has read it; whatever it is now, the next one tells.
    return '';
  }
}

/** Two at once would mix their keys and certificates. */
async function renewAlone(client: Pick<GatewayClient, 'call'>, folder: string): Promise<string> {
  const lock = join(folder, 'renewing');
  if (!(await taken(lock))) return '';
  try {
    await renew(client, folder);
    return '';
  } finally {
    await rmdir(lock);
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const { mtimeMs } = await stat(lock);
    // Its program was killed: the next one renews.
    if (Date.now() - mtimeMs > staleMs) await rmdir(lock);
    return false;
  }
}
