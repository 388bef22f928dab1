import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Of the whole file; later faults stand in the audit only. */
export const mostNoteBytes = 16 * 1024;

/**
 * The lines of the file in which a gateway keeps what went wrong with its audit, until a person moves it away. Throws
 * if it is there and cannot be read.
 */
export function readFaultNotes(file: string): string[] {
  try {
    // A FIFO must hold up nobody.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(fd).isFile()) throw new Error(`${file} is not a regular file; move it away`);
      const bytes = Buffer.alloc(mostNoteBytes);
      const read = readSync(fd, bytes, 0, bytes.length, 0);
      return bytes
        .toString('utf8', 0, read)
        .split('\n')
        .filter((line) => line !== '');
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
