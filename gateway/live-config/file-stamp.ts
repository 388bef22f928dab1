import { statSync } from 'node:fs';

/**
 * Differs once the file was written, replaced or taken away, also through a symbolic link on the way to it. Never
 * throws. Two writes within one tick of the kernel's clock (4 ms) may share a stamp.
 */
export function fileStamp(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String(error);
  }
}
