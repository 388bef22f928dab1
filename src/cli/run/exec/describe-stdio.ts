import { fstatSync, type Stats, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Stdio, StdioKind } from '../../../command.ts';

/** The kinds of this process's descriptors 0 to 2. The tool gets pipes for terminals, unless it gets a terminal. */
export function describeStdio(withTerminal: boolean): Stdio {
  const [stdin, stdout, stderr] = [0, 1, 2].map((fd) => fstatSync(fd));
  if (stdin === undefined || stdout === undefined || stderr === undefined) throw new Error('no descriptors');
  const kindOf = (fd: number, stats: Stats) => (withTerminal && isatty(fd) ? 'tty' : kindOfFile(stats));
  // One pipe for both keeps the order of stdout and stderr.
  const same = stdout.dev === stderr.dev && stdout.ino === stderr.ino && !stdout.isFile();
  const kind = kindOf(1, stdout);
  return [kindOf(0, stdin), kind, same && kind !== 'null' ? '=1' : kindOf(2, stderr)];
}

function kindOfFile(stats: Stats): StdioKind {
  if (stats.isFile()) return 'file';
  return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null').rdev ? 'null' : 'pipe';
}
