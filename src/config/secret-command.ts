import { type ChildProcess, spawn } from 'node:child_process';
import { ConfigError } from './config-error.ts';

const deadlineMs = 10_000;
/** A line's end may follow the value. */
const lineEnd = 2;

/**
 * What the program writes to its stdout, up to `most` bytes and a line's end. Rejects with one line that names `at`;
 * what it writes to its stderr is shown to nobody, because it may have a part of the value.
 */
export async function outputOfSecretCommand(
  [program, ...args]: readonly [string, ...string[]],
  at: string,
  most: number,
  withinMs = deadlineMs,
): Promise<string> {
  const problem = (what: string) => new ConfigError([`${at}: ${program} ${what}`]);
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, {
    ...{ cwd: '/', env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'ignore'] },
    // A group of its own, so that nothing that it started is left.
    detached: true,
  });
  const chunks: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(problem(`did not end within ${withinMs / 1000} s`)), withinMs);
  let bytes = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > most + lineEnd) reject(problem(`wrote more than ${most} bytes`));
  });
  child.on('error', (error) => reject(problem(`cannot be run: ${reasonOf(error)}`)));
  child.on('close', (code, signal) => {
    const text = code === 0 ? textOf(chunks) : undefined;
    if (text !== undefined) resolve(text);
    else if (code === 0) reject(problem('did not write UTF-8'));
    else reject(problem(signal === null ? `ended with status ${code}` : `was ended by ${signal}`));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.stdout?.destroy();
    killGroup(child);
  }
}

/** Undefined if it is no UTF-8: no byte is replaced silently. */
function textOf(chunks: readonly Buffer[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}

function reasonOf(error: Error): string {
  return 'code' in error && error.code === 'ENOENT' ? 'there is no such program' : error.message;
}
