import { lstat, readlink } from 'node:fs/promises';
import type { SystemPart } from './bwrap-line.ts';

/** Programs and libraries. What a machine keeps in `/opt`, `/srv` or a home is named by `--allow`. */
const folders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What programs need to find a library, a name, a certificate or the time. Nothing else of `/etc` is there. */
const settings = [
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'nsswitch.conf', 'passwd', 'group'],
  ...['localtime', 'timezone', 'ssl/certs', 'ssl/openssl.cnf', 'mime.types', 'debian_version', 'os-release'],
].map((name) => `/etc/${name}`);

/** What is there of both, as it is there: a link stays one, so that paths are those of this machine. */
export async function systemParts(): Promise<readonly SystemPart[]> {
  const parts = await Promise.all([...folders, ...settings].map(partOf));
  return parts.flat();
}

async function partOf(path: string): Promise<readonly SystemPart[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isSymbolicLink()) return [['bind', path]];
  return [['link', await readlink(path), path]];
}
