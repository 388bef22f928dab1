import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface NativeBuild {
  readonly name: 'static' | 'sanitized';
  readonly shim: string;
  readonly init: string;
}

/** What `make` and `make sanitize` built: every test of the programs runs on both. Throws if one is missing. */
export const nativeBuilds: readonly NativeBuild[] = [
  build('static', '../../../build/native/'),
  build('sanitized', '../../../build/native-sanitize/'),
];

/** A program that exists only for tests of the sanitized build. Throws if it is missing. */
export function sanitizedProgram(name: string): string {
  return builtProgram(fileURLToPath(new URL(`../../../build/native-sanitize/${name}`, import.meta.url)));
}

function build(name: NativeBuild['name'], folder: string): NativeBuild {
  const path = (program: string) => builtProgram(fileURLToPath(new URL(folder + program, import.meta.url)));
  return { name, shim: path('clawrden-shim'), init: path('clawrden-init') };
}

function builtProgram(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: run make -C shim/native all sanitize`);
  return path;
}
