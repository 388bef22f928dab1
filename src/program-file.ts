import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** What is started by its file, by the path of its source without the ending. */
export const programs = [
  'src/cli/main',
  'gateway/main',
  'gateway/judging/policy-check-thread',
  'shim/relay/main',
] as const;

/** The file of a program, of the kind that runs now: its source, the compiler's output, or the bundle. */
export function programFile(program: (typeof programs)[number]): string {
  const [root, here] = [packageRoot(), import.meta.dirname];
  const built = ['build/programs', 'build'].find((folder) => here.startsWith(join(root, folder)));
  return built === undefined ? join(root, `${program}.ts`) : join(root, built, `${program}.js`);
}
