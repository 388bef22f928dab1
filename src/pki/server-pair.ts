import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ServerFiles } from '../config/gateway-config.ts';
import { readTextFile } from '../config/read-text-file.ts';
import type { Credentials } from './authority.ts';
import { certificatesIn } from './trust-print.ts';

export interface ServerPair extends Credentials {
  /** The server's own. */
  readonly leaf: X509Certificate;
}

const serverAuth = '1.3.6.1.5.5.7.3.1';

/** Throws one line that names the file if clients could not take what the files hold now. */
export function readServerPair({ cert, key }: ServerFiles): ServerPair {
  const pair = { certificate: readTextFile(cert), key: readTextFile(key) };
  const leaf = inFile(cert, () => leafOf(pair.certificate));
  const privateKey = inFile(key, () => createPrivateKey(pair.key));
  if (!leaf.checkPrivateKey(privateKey)) throw new Error(`${key}: it is not the key of ${cert}`);
  // Its key is too short, for one.
  inFile(cert, () => createSecureContext({ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.2' }));
  return { ...pair, leaf };
}

function leafOf(pem: string): X509Certificate {
  const [leaf] = certificatesIn(pem).map((each) => new X509Certificate(each));
  if (leaf === undefined) throw new Error('it holds no certificate');
  const { validFromDate, validToDate, keyUsage } = leaf;
  if (validFromDate.getTime() > Date.now())
    throw new Error(`it is not valid before ${validFromDate.toISOString()}`);
  if (validToDate.getTime() <= Date.now()) throw new Error(`it expired on ${validToDate.toISOString()}`);
  // Absent means good for anything.
  if (keyUsage !== undefined && !keyUsage.includes(serverAuth))
    throw new Error('its certificate is not one of a server');
  return leaf;
}

function inFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
