import { statSync } from 'node:fs';

/**
 * Changes when the file is written, replaced or removed, also through a symbolic link on its path. Never throws. Two
 * writes within one tick of the kernel's clock (4 ms) may have the same stamp.
 */
export function fileStamp(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String(error);
  }
}
