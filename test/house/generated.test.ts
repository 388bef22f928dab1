import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('src/gen is what proto/ generates', async () => {
  const output = await mkdtemp(join(tmpdir(), 'clawrden-generated-'));
  try {
    await promisify(execFile)('buf', ['generate', '--output', output], { cwd: root });
    expect(await contents(join(root, 'src/gen'))).toEqual(await contents(join(output, 'src/gen')));
  } finally {
    await rm(output, { recursive: true });
  }
});

async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files.map(async (file) => [file.slice(folder.length), await readFile(file, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
