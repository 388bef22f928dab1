import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

// A unit test starts no process: it needs nothing of the machine, and hundreds of them run in seconds.
const names = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;

function refuse(): never {
  throw new Error('a unit test starts no process: name its file x.programs.test.ts');
}

Object.assign(childProcess, Object.fromEntries(names.map((name) => [name, refuse])));
syncBuiltinESMExports();
