import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** A folder that is held open: its path leads there whatever is done to its names. */
export interface HeldFolder {
  readonly path: string;
  readonly pathOf: (name: string) => string;
  /** For its owner. */
  readonly makeWritable: () => void;
}

export interface HeldFolders extends Disposable {
  readonly last: HeldFolder;
  /** False if a file or a link has that name in the last one. */
  readonly enter: (name: string) => boolean;
}

/** From `root` on, one after the other, until disposed of. */
export function holdFolders(root: string): HeldFolders {
  const open: number[] = [openFolder(root)];
  const last = () => heldAs(open.at(-1) ?? -1);
  return {
    get last() {
      return last();
    },
    enter: (name) => {
      try {
        open.push(openFolder(last().pathOf(name)));
        return true;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOTDIR' || code === 'ELOOP') return false;
        throw error;
      }
    },
    [Symbol.dispose]: () => {
      for (const fd of open) closeSync(fd);
    },
  };
}

function openFolder(path: string): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

function heldAs(fd: number): HeldFolder {
  // Also for a program that is started with it as its working directory: it has the descriptor until then.
  const path = `/proc/self/fd/${fd}`;
  return {
    path,
    pathOf: (name) => join(path, name),
    makeWritable: () => {
      const { mode } = fstatSync(fd);
      if ((mode & 0o300) !== 0o300) fchmodSync(fd, (mode & 0o7777) | 0o700);
    },
  };
}
