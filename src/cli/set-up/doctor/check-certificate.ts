import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { ServerFiles } from '../../../config/gateway-config.ts';
import { readTextFile } from '../../../config/read-text-file.ts';
import { readServerPair } from '../../../pki/server-pair.ts';
import { readTrust } from '../../../pki/trust-file.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

const dayMs = 86_400_000;
const warnDays = 14;

/** `renew` says how to replace a certificate of this kind. */
export async function checkCertificate(check: string, file: string, renew: string): Promise<Finding> {
  try {
    const { validFromDate, validToDate } = new X509Certificate(readTextFile(file));
    const left = validToDate.getTime() - Date.now();
    const days = Math.floor(left / dayMs);
    if (Date.now() < validFromDate.getTime())
      return bad(check, `${file} is not valid yet`, "set this machine's clock");
    if (days < 0) return bad(check, `${file} expired on ${validToDate.toISOString()}`, renew);
    const text = `${file}, ${days} days left`;
    const isLate = left < Math.min(warnDays * dayMs, (validToDate.getTime() - validFromDate.getTime()) / 3);
    return isLate ? doubtful(check, text, renew) : good(check, text);
  } catch (error) {
    return bad(check, messageOf(error), renew);
  }
}

/** What a door shows of files, which the gateway reads again when they change. */
export async function checkServerFiles(
  check: string,
  files: ServerFiles | undefined,
): Promise<readonly Finding[]> {
  const renew = 'put a certificate and its key there; docs/operations.md';
  if (files === undefined) return [];
  try {
    readServerPair(files);
    return [await checkCertificate(check, files.cert, renew)];
  } catch (error) {
    return [bad(check, messageOf(error), renew)];
  }
}

/** A file of authorities that the gateway's certificate may be of. */
export function checkTrust(file: string | undefined): readonly Finding[] {
  if (file === undefined) return [];
  try {
    readTrust(file);
    return [good('trust', file)];
  } catch (error) {
    return [bad('trust', messageOf(error), "put the authority of the gateway's certificate there")];
  }
}

export async function checkKey(check: string, file: string): Promise<Finding> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) === 0) return good(check, file);
    return bad(check, `${file} can be read by others`, `chmod 600 ${file}`);
  } catch (error) {
    return bad(check, messageOf(error), 'restore it from a backup');
  }
}
