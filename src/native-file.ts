import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/**
 * The path of a native file of this package (`clawrden-shim`, `clawrden-init`, `peercred.node`). If it is missing,
 * throws a line that says how to build it.
 */
export function nativeFile(name: string): string {
  const file = join(packageRoot(), 'build/native', name);
  if (!existsSync(file)) throw new Error(`${name} is not built; run: make -C shim/native`);
  return file;
}
