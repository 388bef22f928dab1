import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** What is started by its file, by the path of its source without the ending. */
export const programs = [
  'src/cli/main',
  'gateway/main',
  'gateway/judging/policy-check-thread',
  'shim/relay/main',
] as const;

/** The file of a program, of the kind that runs now: its source, or the bundle. */
export function programFile(program: (typeof programs)[number]): string {
  const bundle = join(packageRoot(), 'build/programs');
  const isBundled = import.meta.dirname.startsWith(bundle);
  return isBundled ? join(bundle, `${program}.js`) : join(packageRoot(), `${program}.ts`);
}
