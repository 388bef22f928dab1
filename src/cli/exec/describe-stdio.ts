import { fstatSync, type Stats, statSync } from 'node:fs';
import type { Stdio, StdioKind } from '../../command.ts';

/** How this process's descriptors 0 to 2 look to a tool that has pipes instead: a terminal is none to it. */
export function describeStdio(): Stdio {
  const [stdin, stdout, stderr] = [0, 1, 2].map((fd) => fstatSync(fd));
  if (stdin === undefined || stdout === undefined || stderr === undefined) throw new Error('no descriptors');
  // One pipe for both keeps the order of what a caller reads from one.
  const same = stdout.dev === stderr.dev && stdout.ino === stderr.ino && !stdout.isFile();
  const kind = kindOf(stdout);
  return [kindOf(stdin), kind, same && kind !== 'null' ? '=1' : kindOf(stderr)];
}

function kindOf(stats: Stats): StdioKind {
  if (stats.isFile()) return 'file';
  return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null').rdev ? 'null' : 'pipe';
}
