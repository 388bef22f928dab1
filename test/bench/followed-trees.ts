import { randomBytes } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lab/command.ts';

const perFolder = 29;

/** So many entries: 29 files of 4 KiB a folder, all of them the agent's. */
export async function fill(root: string, entries: number): Promise<void> {
  for (let folder = 0; folder < entries / (perFolder + 1); folder++) {
    const path = join(root, `d${folder % 40}`, `e${folder}`);
    await mkdir(path, { recursive: true });
    await Promise.all(
      Array.from({ length: perFolder }, (_, n) =>
        writeFile(join(path, `f${n}`), String(n).padEnd(4096, 'x')),
      ),
    );
  }
  await run(['chown', '-R', '1000:1000', root]);
}

export const mebibyte = 2 ** 20;

/** Bytes that no two blocks have in common. */
export async function fillFile(path: string, mebibytes: number): Promise<void> {
  await using file = await open(path, 'w');
  for (let block = 0; block < mebibytes; block++) await file.write(randomBytes(mebibyte));
  await run(['chown', '1000:1000', path]);
}

export async function overwriteBlock(path: string, block: number): Promise<void> {
  await using file = await open(path, 'r+');
  await file.write(randomBytes(mebibyte), 0, mebibyte, block * mebibyte);
}

const patience = { timeout: 300_000 };

export const rsync = (from: string, to: string) => run(['rsync', '-aH', `${from}/`, `${to}/`], patience);

export const tarTar = (from: string, to: string) =>
  run(['sh', '-c', 'mkdir -p "$2" && tar -C "$1" -cf - . | tar -C "$2" -xf -', 'sh', from, to], patience);

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
