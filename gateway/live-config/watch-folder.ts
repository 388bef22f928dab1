import { join } from 'node:path';
import type { Faults } from '../../src/faults.ts';
import { toolFileSuffix } from '../../src/policy/file/tool-file.ts';
import { toolNamesIn } from '../../src/policy/file/tool-names.ts';
import { createLook, type Found, readFound, waits } from './watch-file.ts';

/** A folder of tool files as it was found. */
export interface FoundFolder {
  /** By their names without the suffix; absent if nobody knows, because the folder cannot be read. */
  readonly files?: ReadonlyMap<string, Found>;
  /** Empty, or why the folder cannot be read. One that is gone has no files. */
  readonly fault: string;
}

type TakeFolder = (found: FoundFolder) => boolean | Promise<boolean>;

/** As it is now. */
export function readFolder(folder: string): FoundFolder {
  const { names, fault } = namesIn(folder);
  return {
    fault,
    ...(names && { files: new Map(names.map((name) => [name, readFound(fileOf(folder, name))])) }),
  };
}

export function fileOf(folder: string, name: string): string {
  return join(folder, `${name}${toolFileSuffix}`);
}

/**
 * Calls `take` with all files of the folder each time that some of them were written, came or went, and have been left
 * alone for a quarter of a second, and when the folder itself came or went, until `signal` aborts. One that is still
 * being written counts as it was. `start`: what was read before.
 */
export async function watchFolder(
  folder: string,
  start: ReadonlyMap<string, Found>,
  take: TakeFolder,
  faults: Pick<Faults, 'report'>,
  signal: AbortSignal,
): Promise<void> {
  const look = createFolderLook(folder, start, take);
  while (await waits(signal)) await look().catch((error) => faults.report(`watching ${folder}`, error));
}

function createFolderLook(
  folder: string,
  start: ReadonlyMap<string, Found>,
  take: TakeFolder,
): () => Promise<void> {
  const files = filesOf(folder, start);
  let [seen, taken] = ['', ''];
  let isTaken = true;
  return async () => {
    const { names, fault } = namesIn(folder);
    const before = seen;
    seen = fault;
    // It may be about to be exchanged.
    if (fault !== '' && fault !== before) return;
    if (fault !== taken || (names !== undefined && (await files.look(names)))) isTaken = false;
    if (isTaken) return;
    isTaken = await take({ fault, ...(names && { files: files.found }) });
    if (isTaken) taken = fault;
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

function namesIn(folder: string): { readonly names?: readonly string[]; readonly fault: string } {
  try {
    return { names: toolNamesIn(folder), fault: '' };
  } catch (error) {
    const { message: fault, cause } = error as Error;
    const isGone = ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
    return { fault, ...(isGone && { names: [] }) };
  }
}
