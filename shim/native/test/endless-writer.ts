import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Changes the first bytes of a file without a pause, so each look at all of it meets a change. */
export async function startWriter(path: string): Promise<ChildProcess> {
  const script = `const fs = require('node:fs');
    const fd = fs.openSync(process.argv[1], 'r+');
    fs.writeSync(1, 'begun');
    for (let n = 0; ; n++) fs.writeSync(fd, String(n).padStart(9), 0);`;
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

export async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
