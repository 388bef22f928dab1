import { join } from 'node:path';
import type { Faults } from '../../src/faults.ts';
import { toolFileSuffix } from '../../src/policy/file/tool-file.ts';
import { toolNamesIn } from '../../src/policy/file/tool-names.ts';
import { createLook, type Found, readFound, waits } from './watch-file.ts';

/** What the tool files of a folder hold, by their names without the suffix; or why the folder cannot be read. */
export type FoundFiles = ReadonlyMap<string, Found> | { readonly fault: string };

type TakeFiles = (found: FoundFiles) => boolean | Promise<boolean>;

type Names = readonly string[] | { readonly fault: string };

/** As it is now. */
export function readFolder(folder: string): FoundFiles {
  const names = namesIn(folder);
  if ('fault' in names) return names;
  return new Map(names.map((name) => [name, readFound(fileOf(folder, name))]));
}

export function fileOf(folder: string, name: string): string {
  return join(folder, `${name}${toolFileSuffix}`);
}

/**
 * Calls `take` with all files of the folder each time that some of them were written, came or went, and have been left
 * alone for a quarter of a second, until `signal` aborts. One that is still being written counts as it was. `start`:
 * what was read before.
 */
export async function watchFolder(
  folder: string,
  start: ReadonlyMap<string, Found>,
  take: TakeFiles,
  faults: Pick<Faults, 'report'>,
  signal: AbortSignal,
): Promise<void> {
  const look = createFolderLook(folder, start, take);
  while (await waits(signal)) await look().catch((error) => faults.report(`watching ${folder}`, error));
}

function createFolderLook(
  folder: string,
  start: ReadonlyMap<string, Found>,
  take: TakeFiles,
): () => Promise<void> {
  const files = filesOf(folder, start);
  let [seen, taken] = ['', ''];
  let isTaken = true;
  return async () => {
    const names = namesIn(folder);
    if ('fault' in names) {
      const isNew = names.fault === seen && names.fault !== taken;
      seen = names.fault;
      if (isNew && (await take(names))) taken = names.fault;
      return;
    }
    if (taken !== '') isTaken = false;
    [seen, taken] = ['', ''];
    if (await files.look(names)) isTaken = false;
    if (!isTaken) isTaken = await take(files.found);
  };
}

/** `look` resolves with true if some are others than before. */
function filesOf(folder: string, start: ReadonlyMap<string, Found>) {
  const found = new Map(start);
  const looks = new Map<string, () => Promise<void>>();
  let present: ReadonlySet<string> = new Set();
  let isOther = false;

  function take(name: string, what: Found): boolean {
    isOther = true;
    if (present.has(name)) found.set(name, what);
    else for (const map of [found, looks]) map.delete(name);
    return true;
  }

  return {
    found,
    look: async (names: readonly string[]): Promise<boolean> => {
      [present, isOther] = [new Set(names), false];
      for (const name of new Set([...found.keys(), ...looks.keys(), ...names])) {
        const look = looks.get(name) ?? createLook(fileOf(folder, name), (what) => take(name, what));
        looks.set(name, look);
        await look();
      }
      return isOther;
    },
  };
}

function namesIn(folder: string): Names {
  try {
    return toolNamesIn(folder);
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
