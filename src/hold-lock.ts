import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { loadNativeAddon } from './native-addon.ts';

/**
 * Holds a folder until disposed of; however this process ends, the kernel gives it back. `user` is what holds such a
 * folder, as in `gateway`. Throws a line for people where another process has it.
 */
export function holdFolder(folder: string, user: string): Disposable {
  const fd = openFolder(folder);
  try {
    holdDescriptor(fd, `another ${user} uses the folder ${folder}`);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return { [Symbol.dispose]: () => closeSync(fd) };
}

/** The same for what is open as `fd`, until that is closed. `held` begins the line that is thrown. */
export function holdDescriptor(fd: number, held: string): void {
  if (loadNativeAddon().lockDescriptor(fd)) return;
  const pid = holderOf(fd);
  throw new Error(`${held}${pid === undefined ? '' : ` (pid ${pid})`}; stop it first`);
}

function openFolder(folder: string): number {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`there is no folder ${folder}`);
  }
  return openSync(folder, 'r');
}

/** As far as the kernel tells it: a process in a container that cannot be seen from here is not known. */
function holderOf(fd: number): number | undefined {
  const { ino } = fstatSync(fd);
  const line = /^\d+: FLOCK +ADVISORY +WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /;
  for (const text of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, pid, inode] = line.exec(text) ?? [];
    if (inode === String(ino) && pid !== '0') return Number(pid);
  }
  return undefined;
}
