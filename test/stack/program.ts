import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** One of our programs, run as its users run it: a process of its own, with its log in a file. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  readonly log: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends a signal; resolves when the process has ended, with its exit code, or null if a signal ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** This process may end while the program continues. */
  readonly release: () => void;
}

export interface ProgramOptions {
  readonly argv: readonly string[];
  readonly log: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Node needs this long where many other programs run; one that cannot start ends sooner. */
const readyWithinMs = 120_000;

/** Starts a program and waits until its log says `"msg":"ready"`; throws with the end of the log if it never does. */
export async function startProgram({ argv, log, env }: ProgramOptions): Promise<Program> {
  const [file = '', ...args] = argv;
  const output = await open(log, 'a');
  const before = (await output.stat()).size;
  const stdio = ['ignore', output.fd, output.fd] as const;
  const child = spawn(file, args, { detached: true, stdio: [...stdio], env: { ...process.env, ...env } });
  await output.close();
  const exited = child.exitCode === null ? once(child, 'exit') : Promise.resolve([child.exitCode]);
  try {
    await untilReady(child, log, before);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${argv.join(' ')}: ${(error as Error).message}`, { cause: error });
  }
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ((await exited) as [number | null])[0];
  };
  return {
    pid: child.pid ?? 0,
    log,
    signal: (signal) => void child.kill(signal),
    end,
    release: () => child.unref(),
    [Symbol.asyncDispose]: async () => {
      if (!hasEnded(child)) await end('SIGKILL');
    },
  };
}

async function untilReady(child: ChildProcess, log: string, from: number): Promise<void> {
  for (const deadline = performance.now() + readyWithinMs; ; await sleep(20)) {
    const said = (await readFile(log)).subarray(from).toString();
    if (said.includes('"msg":"ready"')) return;
    if (hasEnded(child)) throw new Error(`it ended: ${said.slice(-2000)}`);
    if (performance.now() > deadline) throw new Error(`it was not ready in time: ${said.slice(-2000)}`);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
