import { readdir, readFile } from 'node:fs/promises';
import { attempt } from './command.ts';
import { waitUntil } from './wait.ts';

/** Pids of every process in a network namespace: the host's init, its engine and the engine's shims. */
export async function processesIn(namespace: string): Promise<number[]> {
  const { stdout, code } = await attempt(['ip', 'netns', 'pids', namespace]);
  return code === 0 ? stdout.trim().split('\n').filter(Boolean).map(Number) : [];
}

/** The host's PID 1, whose end ends everything on the host; undefined if the host is off. */
export async function hostInit(namespace: string): Promise<number | undefined> {
  for (const pid of await processesIn(namespace)) {
    const inner = /^NSpid:.*\t(\d+)$/m.exec(await status(pid))?.[1];
    const nested = /^NSpid:\t\d+\t\d+/m.test(await status(pid));
    if (nested && inner === '1') return pid;
  }
  return undefined;
}

/** Pids of the host's processes with this name, such as dockerd. */
export async function processesNamed(namespace: string, name: string): Promise<number[]> {
  const pids = await processesIn(namespace);
  const texts = await Promise.all(pids.map(status));
  return pids.filter((_, i) => texts[i]?.startsWith(`Name:\t${name}\n`));
}

/** Command lines of all processes in the host's PID namespace, with its containers; empty if it is off. */
export async function hostCommands(namespace: string): Promise<string[]> {
  const init = await hostInit(namespace);
  if (init === undefined) return [];
  const { stdout } = await attempt(['nsenter', `--target=${init}`, '--mount', '--pid', 'ps', '-eo', 'args=']);
  return stdout
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Pids of processes whose command line contains all the texts; each argument ends with a NUL. */
export async function processesMentioning(...texts: string[]): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(pids.map((pid) => read(`/proc/${pid}/cmdline`)));
  return pids.filter((pid, i) => pid !== process.pid && texts.every((text) => lines[i]?.includes(text)));
}

/** Sends a signal to processes that may be gone already. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** SIGSTOP, to its end: a thread stops when it runs next, and until then it may still answer. */
export async function stopAll(pids: readonly number[]): Promise<void> {
  signalAll(pids, 'SIGSTOP');
  await waitUntil('every thread to stop', 10_000, async () =>
    (await Promise.all(pids.map(hasStopped))).every(Boolean),
  );
}

async function hasStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const states = await Promise.all(threads.map((thread) => status(`${pid}/task/${thread}`)));
  return states.every((text) => text === '' || /^State:\t[TZX]/m.test(text));
}

function status(pid: number | string): Promise<string> {
  return read(`/proc/${pid}/status`);
}

function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => ''); // the process has ended
}
