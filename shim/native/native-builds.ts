import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface NativeBuild {
  readonly name: 'static' | 'sanitized';
  readonly shim: string;
  readonly init: string;
}

/** What `make` and `make sanitize` built: every test of the programs runs on both. Throws where one is missing. */
export const nativeBuilds: readonly NativeBuild[] = [
  build('static', '../../build/native/'),
  build('sanitized', '../../build/native-sanitize/'),
];

function build(name: NativeBuild['name'], folder: string): NativeBuild {
  const path = (program: string) => fileURLToPath(new URL(folder + program, import.meta.url));
  const found = { name, shim: path('clawrden-shim'), init: path('clawrden-init') };
  for (const program of [found.shim, found.init]) {
    if (!existsSync(program)) throw new Error(`${program} is missing: run make -C shim/native all sanitize`);
  }
  return found;
}
