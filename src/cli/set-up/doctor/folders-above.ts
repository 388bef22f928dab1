import type { Stats } from 'node:fs';
import { dirname } from 'node:path';

/** From `/` down to the folder that holds `path`. */
export function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

const writableByOthers = 0o022;
const sticky = 0o1000;

/** Whether others than its owner may rename and remove what is in the folder, also what they did not make. */
export function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & writableByOthers) !== 0 && (mode & sticky) === 0;
}
