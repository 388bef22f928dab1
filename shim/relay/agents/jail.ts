import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { isToolName } from '../../../src/policy/request/tool-name.ts';

/** What an agent finds at /clawrden/bin: the shim, the init, and for each tool a link to the shim. */
export interface JailFiles {
  readonly shim: string;
  readonly init: string;
}

const shimName = '.shim';
const initName = '.init';
const mode = 0o755;

/**
 * Makes the folder and updates the shim and the init in it. The folder itself is never replaced, because it is
 * mounted. Each file is replaced in one step, so programs that run from it continue.
 */
export async function prepareJail(folder: string, { shim, init }: JailFiles): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, mode);
  await putFile(shim, join(folder, shimName));
  await putFile(init, join(folder, initName));
}

/**
 * Makes the links exactly `tools`, without names that no tool may have. Resolves with the links that are there now.
 */
export async function setTools(folder: string, tools: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(tools)].filter(isToolName).sort();
  const there = await readdir(folder);
  const right = new Set(await filterAsync(there, (name) => isShimLink(join(folder, name))));
  const stale = there.filter((name) => !name.startsWith('.') && !(right.has(name) && wanted.includes(name)));
  await Promise.all(stale.map((name) => rm(join(folder, name), { recursive: true })));
  // Relative, because it is followed in the agent's container, where the folder has another path.
  const missing = wanted.filter((name) => !right.has(name));
  await Promise.all(missing.map((name) => symlink(shimName, join(folder, name))));
  return wanted;
}

async function filterAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T[]> {
  const passed = await Promise.all(items.map(test));
  return items.filter((_, index) => passed[index]);
}

async function isShimLink(path: string): Promise<boolean> {
  return (await readlink(path).catch(() => '')) === shimName;
}

async function putFile(from: string, to: string): Promise<void> {
  if (await isCopy(from, to)) return;
  const fresh = `${to}~`;
  await copyFile(from, fresh);
  await chmod(fresh, mode);
  await rename(fresh, to);
}

async function isCopy(from: string, to: string): Promise<boolean> {
  const there = await lstat(to).catch(() => undefined);
  if (there?.isFile() !== true || (there.mode & 0o777) !== mode) return false;
  return (await readFile(from)).equals(await readFile(to));
}
