import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';

export interface CommandStep {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File that gets stdout and stderr. */
  readonly log: string;
  readonly deadlineMs: number;
}

/**
 * The exit status, or why there is none. The program leads its own process group, which gets SIGINT at the deadline
 * or on abort, and SIGKILL 20 s later.
 */
export async function runCommand(step: CommandStep, signal: AbortSignal): Promise<number | string> {
  const log = await open(step.log, 'w');
  const [program = '', ...args] = step.argv;
  const child = spawn(program, args, {
    cwd: step.cwd,
    env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1', ...step.env },
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  const { promise, resolve } = Promise.withResolvers<number | string>();
  child.on('error', (error) => resolve(error.message));
  child.on('close', (code, killedBy) => resolve(code ?? `killed by ${killedBy}`));
  const ended = AbortSignal.any([signal, AbortSignal.timeout(step.deadlineMs)]);
  const stop = () => stopGroup(child.pid, promise);
  ended.addEventListener('abort', stop, { once: true });
  try {
    const status = await promise;
    return ended.aborted && !signal.aborted ? `still running after ${step.deadlineMs / 1000} s` : status;
  } finally {
    ended.removeEventListener('abort', stop);
    await log.close();
  }
}

function stopGroup(pid: number | undefined, end: Promise<unknown>): void {
  if (pid === undefined) return;
  signalGroup(pid, 'SIGINT');
  const kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), 20_000);
  void end.then(() => clearTimeout(kill));
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
