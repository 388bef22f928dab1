import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of this package's package.json, for the sources, the bundle and build/. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('clawrden is not installed as a package');
    folder = dirname(folder);
  }
  return folder;
}
