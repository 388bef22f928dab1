import { readFileSync, readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Whether a program inside could push input into this process's terminal, for a shell that reads it later. A kernel of
 * 6.2 or newer may refuse that; on the machine's own console there are other ways.
 */
export function needsNewSession(): boolean {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  if (terminals.length === 0) return false;
  return !refusesInput() || terminals.some((fd) => /^\/dev\/(tty\d+|console)$/.test(nameOf(fd)));
}

function refusesInput(): boolean {
  try {
    return readFileSync('/proc/sys/dev/tty/legacy_tiocsti', 'utf8').trim() === '0';
  } catch {
    return false;
  }
}

function nameOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '/dev/console';
  }
}
