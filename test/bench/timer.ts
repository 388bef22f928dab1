import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';

const folder = join(checkout, 'build/bench');

/** Builds a program of this folder statically, so that it runs in any container. */
export async function buildStatic(name: string): Promise<string> {
  const file = join(folder, name);
  await mkdir(folder, { recursive: true });
  await run([
    'musl-gcc',
    '-static',
    '-O2',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-o',
    file,
    join(import.meta.dirname, `${name}.c`),
  ]);
  return file;
}

export interface Timing {
  readonly count: number;
  /** At most one start every so many milliseconds; 0: one after another. */
  readonly intervalMs?: number;
  readonly argv: readonly string[];
}

/** The arguments of `timer.c`. */
export function timerArgs({ count, intervalMs = 0, argv }: Timing): string[] {
  return [String(count), String(intervalMs), '0', ...argv];
}

/** Milliseconds, from the output of `timer.c`. */
export function timings(output: string): number[] {
  return output
    .trim()
    .split('\n')
    .map((line) => Number(line) / 1000);
}
