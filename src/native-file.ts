import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of one of our native files (`clawrden-shim`, `clawrden-init`, `peercred.node`). Throws a line that says how
 * to build them.
 */
export function nativeFile(name: string): string {
  // From the sources (src/) and from what the compiler makes of them (build/src/) alike.
  const folders = [join(import.meta.dirname, '../build/native'), join(import.meta.dirname, '../native')];
  const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not built; run: make -C shim/native`);
  return found;
}
