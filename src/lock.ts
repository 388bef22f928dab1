import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { loadNativeAddon } from './native-addon.ts';

/**
 * Locks a folder until the lock is disposed of; when this process ends in any way, the kernel frees it. `user` names
 * the program for such a folder, as in `gateway`. Throws a line for people if another process has the lock.
 */
export function lockFolder(folder: string, user: string): Disposable {
  const fd = openFolder(folder);
  try {
    lockDescriptor(fd, `another ${user} uses the folder ${folder}`);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return { [Symbol.dispose]: () => closeSync(fd) };
}

/** The same for the open file `fd`, until it is closed. `held` begins the message of the error. */
export function lockDescriptor(fd: number, held: string): void {
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

/** The process that the kernel names. A process in a container that is not visible from here is unknown. */
function holderOf(fd: number): number | undefined {
  const { ino } = fstatSync(fd);
  const line = /^\d+: FLOCK +ADVISORY +WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /;
  for (const text of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, pid, inode] = line.exec(text) ?? [];
    if (inode === String(ino) && pid !== '0') return Number(pid);
  }
  return undefined;
}
