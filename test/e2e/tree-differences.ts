import { run } from '../lab/command.ts';

/**
 * What rsync would do to make `copy` what `folder` is, a line each; it reads all bytes. Nothing, if they are the same in
 * names, types, bytes, modes, owners, times, hard links, attributes and access lists.
 */
export async function treeDifferences(folder: string, copy: string): Promise<string[]> {
  const args = ['-aHAX', '-n', '--delete', '--checksum', '--itemize-changes', '--exclude=/.clawrden'];
  const said = await run(['rsync', ...args, `${folder}/`, `${copy}/`], { timeout: 300_000 });
  return said.split('\n').filter(Boolean);
}
