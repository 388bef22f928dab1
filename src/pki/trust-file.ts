import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { readTextFile } from '../config/read-text-file.ts';
import { certificatesIn } from './trust-print.ts';

/** PEM: the authorities that a person put into a file. Throws a line that names the file if there is none. */
export function readTrust(file: string): string {
  const found = certificatesIn(readTextFile(file));
  // TLS would trust what Node brings along.
  if (found.length === 0) throw new Error(`${file}: it holds no certificate`);
  try {
    return found.map((each) => new X509Certificate(each).toString()).join('\n');
  } catch {
    throw new Error(`${file}: it holds a certificate that cannot be read`);
  }
}

/** The key of a file that names it: absolute, because that file lies elsewhere. */
export function trustOf(file: string | undefined): { readonly trust?: string } {
  return file === undefined ? {} : { trust: resolve(file) };
}
