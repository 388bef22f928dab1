import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Processors that we build for, as Node calls them. */
export type Processor = 'x64' | 'arm64';

/**
 * The path of a native file (`clawrden-shim`, `clawrden-init`, `peercred.node`) for a processor, or for this one's. If
 * it is missing, throws a line that says how to build it.
 */
export function nativeFile(name: string, processor: string = process.arch): string {
  // A checkout builds for its own processor, a package holds what was built for each.
  const built = join(packageRoot(), 'build/native');
  const isOwn = processor === process.arch;
  const file = join(isOwn && existsSync(built) ? built : `${built}-${processor}`, name);
  if (existsSync(file)) return file;
  if (isOwn) throw new Error(`${name} is not built; run: make -C shim/native`);
  throw new Error(
    `${name} is not built for ${processor}; run scripts/package, which builds for each processor`,
  );
}
