import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file below a folder, by its path, as one line: kind, mode, owner, and content or where a link leads. */
export type Tree = ReadonlyMap<string, string>;

const shown = 200;

/** Does not look at `ignored` paths. */
export async function readTree(root: string, ignored?: RegExp): Promise<Tree> {
  const found = new Map<string, string>();
  const entries = await readdir(root, { recursive: true });
  for (const path of ['.', ...entries.sort()]) {
    if (ignored?.test(path) !== true) found.set(path, await describe(join(root, path)));
  }
  return found;
}

async function describe(path: string): Promise<string> {
  const { mode, uid, gid } = await lstat(path);
  const kind = mode & 0o170000;
  const facts = `${mode.toString(8)} ${uid}:${gid}`;
  if (kind === 0o120000) return `${facts} -> ${await readlink(path)}`;
  if (kind !== 0o100000) return facts;
  const bytes = await readFile(path);
  const text = bytes.toString('latin1');
  if (text.length <= shown) return `${facts} ${JSON.stringify(text)}`;
  return `${facts} ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`;
}
