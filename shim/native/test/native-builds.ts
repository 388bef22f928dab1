import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface NativeBuild {
  readonly name: 'static' | 'sanitized';
  readonly shim: string;
  readonly init: string;
  readonly connect: string;
}

/**
 * What `make` and `make sanitize` built: every test of the programs runs on both; if not asked for all
 * (CLAWRDEN_LONG), each file draws one of them, whose name is in its tests' names. Throws if one is missing.
 */
export const nativeBuilds: readonly NativeBuild[] = drawn([
  build('static', '../../../build/native/'),
  build('sanitized', '../../../build/native-sanitize/'),
]);

/** A program that exists only for tests of the sanitized build. Throws if it is missing. */
export function sanitizedProgram(name: string): string {
  return builtProgram(fileURLToPath(new URL(`../../../build/native-sanitize/${name}`, import.meta.url)));
}

function drawn(all: readonly NativeBuild[]): readonly NativeBuild[] {
  const { CLAWRDEN_LONG: long, CLAWRDEN_SEED: seed = randomInt(all.length) } = process.env;
  return long === '1' ? all : all.filter((_, index) => index === Number(seed) % all.length);
}

function build(name: NativeBuild['name'], folder: string): NativeBuild {
  const path = (program: string) => builtProgram(fileURLToPath(new URL(folder + program, import.meta.url)));
  return {
    name,
    shim: path('clawrden-shim'),
    init: path('clawrden-init'),
    connect: path('clawrden-connect'),
  };
}

function builtProgram(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: run make -C shim/native all sanitize`);
  return path;
}
