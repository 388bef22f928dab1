import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the dashboard, as it is sent. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly packed: Buffer;
}

/** By their path in the folder, with slashes; only what was there when they were read. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const pack = promisify(gzip);

/** Everything that the build made; undefined if it was not built. They stay in memory: a few hundred kB. */
export async function readBuiltFiles(folder: string): Promise<BuiltFiles | undefined> {
  const files = new Map<string, BuiltFile>();
  try {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const type = types[extname(entry.name)];
      if (!entry.isFile() || type === undefined) continue;
      const path = join(entry.parentPath, entry.name);
      const plain = await readFile(path);
      files.set(path.slice(folder.length + 1), { type, plain, packed: await pack(plain) });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return files;
}
