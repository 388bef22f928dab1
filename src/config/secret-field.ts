import { z } from 'zod';
import { strictObject } from './check-shape.ts';
import { ConfigError } from './config-error.ts';
import { durationField, pathField } from './fields.ts';
import { readTextFile } from './read-text-file.ts';
import { outputOfSecretCommand } from './secret-command.ts';
import type { SecretSource } from './secret-source.ts';

const leastBytes = 8;
export const mostSecretBytes = 64 * 1024;
const wanted =
  'must be { file: PATH }, { env: NAME } or { command: [PROGRAM, ARG...] }: a credential never stands in this file';

const wordField = z
  .string()
  .max(4096)
  .refine((word) => !word.includes('\0'), 'must have no NUL');

export const secretField: z.ZodType<SecretSource> = z.union(
  [
    strictObject({ file: pathField }),
    strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/) }),
    strictObject({
      command: z.tuple([wordField.min(1)], wordField).refine((words) => words.length <= 64),
      ttl: durationField.prefault('1m'),
    }),
  ],
  { error: wanted },
);

/** `at`: the key that names the source. Rejects with one line that names the key, and never what was read. */
export async function readSecret(source: SecretSource, at: string): Promise<string> {
  const where = placeOf(source);
  const read = await readSource(source, at);
  if (read === undefined) throw new ConfigError([`${at}: ${where} is not set`]);
  const text = read.replace(/\r?\n$/, '');
  const bytes = Buffer.byteLength(text);
  if (text.includes('\0') || bytes < leastBytes || bytes > mostSecretBytes)
    throw new ConfigError([
      `${at}: ${where} must have ${leastBytes} to ${mostSecretBytes} bytes, and no NUL`,
    ]);
  return text;
}

export function secretIn(source: SecretSource, inFolder: (path: string) => string): SecretSource {
  return 'file' in source ? { file: inFolder(source.file) } : source;
}

async function readSource(source: SecretSource, at: string): Promise<string | undefined> {
  if ('file' in source) return readTextFile(source.file);
  if ('env' in source) return process.env[source.env];
  return await outputOfSecretCommand(source.command, at, mostSecretBytes);
}

/** A command's arguments may themselves be secret. */
function placeOf(source: SecretSource): string {
  if ('file' in source) return source.file;
  return 'env' in source ? `the variable ${source.env}` : `what ${source.command[0]} writes`;
}
