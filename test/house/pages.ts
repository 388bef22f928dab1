import { glob } from 'node:fs/promises';
import { join } from 'node:path';

export const repository = join(import.meta.dirname, '../..');

const foreign = /(^|\/)(node_modules|build|\.lab|\.git)(\/|$)/;

/** Every Markdown page of the repository except the scratchpad. */
export async function pages(): Promise<string[]> {
  const found: string[] = [];
  for await (const page of glob('**/*.md', { cwd: repository, exclude: (name) => foreign.test(name) }))
    if (page !== 'wip.md') found.push(page);
  return found.sort();
}
