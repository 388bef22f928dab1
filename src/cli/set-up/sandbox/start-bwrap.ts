import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { onAbort } from '../../../abort.ts';
import { watchSignals } from '../../run/exec/signals.ts';
import { filterFd, infoFd } from './bwrap-line.ts';

const info = z.object({ 'child-pid': z.int().positive() });
const endsWithinMs = 10_000;

export interface BwrapStart {
  readonly env: Readonly<Record<string, string>>;
  /** Of system calls. */
  readonly filter: Buffer;
  /** Kills it. */
  readonly over: AbortSignal;
}

/**
 * Runs bubblewrap with this process's streams. Resolves with the exit status once no process of the
 * sandbox is left.
 */
export async function startBwrap(bwrap: string, line: readonly string[], how: BwrapStart): Promise<number> {
  const { env, filter, over } = how;
  const child = spawn(bwrap, line, { env, stdio: ['inherit', 'inherit', 'inherit', 'pipe', 'pipe'] });
  // Whether it took all of it, its end says.
  (child.stdio[filterFd] as Writable).on('error', () => {}).end(filter);
  // A signal ends the sandbox, and not this process: what appeared in the workspace is still to be taken away.
  watchSignals((signal) => child.kill(signal));
  using _killed = onAbort(over, () => child.kill('SIGKILL'));
  const told = text(child.stdio[infoFd] as Readable);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  await untilEmpty(await told);
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** The kernel ends a pid namespace with its first process, and that one is gone last. */
async function untilEmpty(told: string): Promise<void> {
  // Bubblewrap told of none: it has started none.
  if (told === '') return;
  const pid = info.parse(JSON.parse(told))['child-pid'];
  const deadline = performance.now() + endsWithinMs;
  while (isThere(pid)) {
    if (performance.now() > deadline) throw new Error(`process ${pid} of the sandbox does not end`);
    await sleep(20);
  }
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
