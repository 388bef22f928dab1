import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface KeptLease {
  readonly id: string;
  /** Removes the lab and returns when that is done; throws if something is left. */
  readonly release: () => Promise<void>;
}

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Takes a lease for a lab that ends with this process. A second process holds the lease and reads a pipe whose other
 * end only this process has: end of file, by `release` or by any death, makes it remove the lab.
 */
export async function keepLease(): Promise<KeptLease> {
  const program = join(import.meta.dirname, 'keeper-main.ts');
  const keeper = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(keeper, 'exit') as Promise<[number | null]>;
  const line = await Promise.race([firstLine(keeper.stdout), ended]);
  if (typeof line !== 'string')
    throw new Error(`clawrden: lab: its keeper ended at once (${line[0]}); see above`);
  detach(keeper);
  return { id: line, release: () => release(keeper, ended) };
}

async function release(keeper: Keeper, ended: Promise<[number | null]>): Promise<void> {
  keeper.ref();
  keeper.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error('clawrden: lab: something is left behind; see above');
}

async function firstLine(stream: Readable): Promise<string> {
  const [line] = (await once(createInterface(stream), 'line')) as [string];
  return line;
}

// A lab that was never stopped must not keep this process alive.
function detach(keeper: Keeper): void {
  keeper.stdout.destroy();
  keeper.unref();
  const pipe: Writable & { unref?: () => void } = keeper.stdin;
  pipe.unref?.();
}
