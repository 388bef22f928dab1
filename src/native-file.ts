import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of a native file of this package (`clawrden-shim`, `clawrden-init`, `peercred.node`). If it is missing,
 * throws a line that says how to build it.
 */
export function nativeFile(name: string): string {
  // Works both from the sources (src/) and from compiled code (build/src/).
  const folders = [join(import.meta.dirname, '../build/native'), join(import.meta.dirname, '../native')];
  const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not built; run: make -C shim/native`);
  return found;
}
