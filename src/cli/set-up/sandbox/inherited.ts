import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Closes what this process has inherited besides stdin, stdout and stderr, and would pass on: a descriptor of a folder or
 * a socket leads past every mount. Node's own are closed by each start of a program.
 */
export function closeInherited(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2 && isPassedOn(fd)) closeSync(fd);
  }
}

function isPassedOn(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // It was that of the list itself.
    return false;
  }
}
