import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readyWord, type SshFiles, sshArguments } from './ssh-arguments.ts';
import type { SshDestination } from './ssh-destination.ts';
import { SshError } from './ssh-error.ts';

export interface RunningSsh {
  /** Connections to this Unix socket arrive at the destination's socket. Only this user may enter its folder. */
  readonly socketPath: string;
  readonly hasEnded: () => boolean;
  readonly end: () => void;
}

const readyWithinMs = 15_000;
const keptWords = 4_000;

/**
 * Resolves when ssh has logged in and accepts connections; rejects with an SshError that has ssh's own message. ssh
 * ends when this process ends, even if it is killed.
 */
export function startSsh(destination: SshDestination, files: SshFiles): Promise<RunningSsh> {
  const { promise, resolve, reject } = Promise.withResolvers<RunningSsh>();
  const folder = mkdtempSync(join(tmpdir(), 'clawrden-ssh-'));
  const socketPath = join(folder, 'engine.sock');
  const child = spawnSsh(sshArguments(destination, files, socketPath));
  const words = lastWords(child);
  const fail = (why: string) => reject(new SshError(`ssh to ${destination.host}: ${why}`));
  const late = setTimeout(() => {
    fail(`not logged in within ${readyWithinMs / 1000} s`);
    child.kill();
  }, readyWithinMs);
  let ended = false;
  const onEnd = () => {
    ended = true;
    clearTimeout(late);
    rmSync(folder, { recursive: true, force: true });
  };
  child.once('error', (error) => {
    onEnd();
    fail(`${error.message}; the programs setpriv and ssh must be installed`);
  });
  child.once('close', (code, signal) => {
    onEnd();
    fail(words() || `it ended with ${signal ?? `status ${code}`}`);
  });
  whenReady(child, () => {
    clearTimeout(late);
    resolve({ socketPath, hasEnded: () => ended, end: () => void child.kill() });
  });
  return promise;
}

/** Started by setpriv, which sets the parent-death signal: a process that is killed cannot end its children. */
function spawnSsh(argv: readonly string[]): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'TERM', 'ssh', ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SHELL: '/bin/sh', LC_ALL: 'C' },
  });
}

function whenReady({ stdout }: ChildProcess, ready: () => void): void {
  let text = '';
  stdout?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-2 * readyWord.length);
    if (text.includes(readyWord)) ready();
  });
}

/** The last two lines of stderr on one line: the reason, and its consequence. */
function lastWords({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-keptWords);
  });
  return () => {
    const lines = text.split(/[\r\n]+/).filter((line) => /\w/.test(line));
    return lines.slice(-2).join(' ').trim();
  };
}
