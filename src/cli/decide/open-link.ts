import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { writeSecretFile } from '../../pki/secret-file.ts';

const startMs = 5000;

/**
 * Opens the link in the person's browser; the result is why not. The link lets somebody in, and a program's arguments
 * can be read by every user of the machine: so it goes by a file of the person's own, beside the context.
 */
export async function openLink(link: string, contextFile: string): Promise<string | undefined> {
  const file = join(dirname(contextFile), 'dashboard.html');
  try {
    await writeSecretFile(file, page(link));
  } catch (error) {
    return `cannot write ${file}: ${(error as Error).message}`;
  }
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const { error, status } = spawnSync(opener, [file], { stdio: 'ignore', timeout: startMs });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return `there is no ${opener} here`;
  return status === 0 ? undefined : `${opener} opens nothing`;
}

function page(link: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${link}"><title>Clawrden</title>\n`;
}
