import { z } from 'zod';
import { strictObject } from './check-shape.ts';
import { ConfigError } from './config-error.ts';
import { pathField } from './fields.ts';
import { readTextFile } from './read-text-file.ts';
import type { SecretSource } from './secret-source.ts';

const leastBytes = 8;
const mostBytes = 64 * 1024;
const wanted = 'must be { file: PATH } or { env: NAME }: a credential never stands in this file';

export const secretField: z.ZodType<SecretSource> = z.union(
  [
    strictObject({ file: pathField }),
    strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/) }),
  ],
  { error: wanted },
);

/** `at`: the key that names the source. Throws one line that names the key, and never what was read. */
export function readSecret(source: SecretSource, at: string): string {
  const read = 'file' in source ? readTextFile(source.file) : process.env[source.env];
  const where = 'file' in source ? source.file : `the variable ${source.env}`;
  if (read === undefined) throw new ConfigError([`${at}: ${where} is not set`]);
  const text = read.replace(/\r?\n$/, '');
  const bytes = Buffer.byteLength(text);
  if (text.includes('\0') || bytes < leastBytes || bytes > mostBytes)
    throw new ConfigError([`${at}: ${where} must have ${leastBytes} to ${mostBytes} bytes, and no NUL`]);
  return text;
}

export function secretIn(source: SecretSource, inFolder: (path: string) => string): SecretSource {
  return 'file' in source ? { file: inFolder(source.file) } : source;
}
