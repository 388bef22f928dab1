import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

export const maxConfigBytes = 1024 * 1024;

/**
 * Reads a regular file of at most 1 MiB as text. Throws ConfigError, also for invalid UTF-8: it replaces no byte
 * silently.
 */
export function readTextFile(file: string): string {
  try {
    // A FIFO must not block the start: open it without waiting and refuse it below.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readText(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new ConfigError([`${file}: cannot be read: ${reasonOf(error)}`]);
  }
}

function readText(fd: number): string {
  if (!fstatSync(fd).isFile()) throw new Error('it is not a regular file');
  const buffer = Buffer.alloc(maxConfigBytes + 1);
  let filled = 0;
  for (;;) {
    const count = readSync(fd, buffer, filled, buffer.length - filled, null);
    filled += count;
    if (filled > maxConfigBytes) throw new Error(`it is larger than ${maxConfigBytes} bytes`);
    if (count === 0) break;
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, filled));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
      return 'permission is denied';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'it is not valid UTF-8';
    default:
      return error.message;
  }
}
