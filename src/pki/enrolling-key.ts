import { createHash, createPrivateKey } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeKey } from './keys.ts';
import { writeSecretFile } from './secret-file.ts';

const own = /^enrolling-[0-9a-f]{32}\.pem$/;
const mostBytes = 4096;

/**
 * The key (PEM) that this token gets a certificate for: the one of a try that was cut off, or a new one. It is on the
 * disk in `folder`, because the gateway answers a used token only if the key is that of before.
 */
export async function enrollingKey(folder: string, token: string): Promise<string> {
  const name = `enrolling-${createHash('sha256').update(token).digest('hex').slice(0, 32)}.pem`;
  await dropEnrollingKeys(folder, name);
  const left = await readOwnKey(join(folder, name)).catch(() => undefined);
  if (left !== undefined) return left;
  const key = makeKey();
  await writeSecretFile(join(folder, name), key);
  return key;
}

/** All but `kept`: nobody asks by them again. */
export async function dropEnrollingKeys(folder: string, kept = ''): Promise<void> {
  for (const name of await readdir(folder))
    if (own.test(name) && name !== kept) await rm(join(folder, name), { force: true });
}

/** Undefined if it was cut, or if others could have written it: they would know the key. */
async function readOwnKey(path: string): Promise<string | undefined> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { mode, uid, size } = await file.stat();
  const isOwn = (mode & constants.S_IFMT) === constants.S_IFREG && (mode & 0o077) === 0;
  if (!isOwn || uid !== process.getuid?.() || size > mostBytes) return undefined;
  const text = await file.readFile('utf8');
  return createPrivateKey(text).asymmetricKeyDetails?.namedCurve === 'prime256v1' ? text : undefined;
}
