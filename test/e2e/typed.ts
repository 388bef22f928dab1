import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { AgentContainer } from '../lab/agent-container.ts';
import { waitUntil } from '../lab/wait.ts';

/** The result of a command that ran in an agent's container. */
export interface Typed {
  /** -1 if a signal ended it. */
  readonly code: number;
  readonly signal: NodeJS.Signals | '';
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly errors: Buffer;
  readonly ms: number;
}

/** A running command, as a process of this machine: the test can signal it, and its wait status is its own. */
export interface Typing {
  /** Null if `stdio` says otherwise. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  /** Resolves with what stdout holds, once it holds `text`. */
  readonly said: (text: string) => Promise<string>;
  /** Pid of the shim itself. */
  readonly pid: () => Promise<number>;
  readonly signal: (signal: NodeJS.Signals) => Promise<void>;
  readonly ended: Promise<Typed>;
}

export interface TypeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** `ignore` is /dev/null; a number is a descriptor of this process. */
  readonly stdin?: 'ignore' | 'pipe' | number;
  /** The test itself reads stdout, or leaves it unread. */
  readonly keepStdout?: boolean;
}

const path = '/clawrden/bin:/usr/local/bin:/usr/bin:/bin';
const answerWithinMs = 60_000;

/** Starts a program as uid 1000 inside the container, in its working directory and with its PATH. */
export async function type(
  agent: AgentContainer,
  argv: readonly string[],
  { env, stdin = 'ignore', keepStdout = false }: TypeOptions = {},
): Promise<Typing> {
  const inside = ['-t', String(await processOf(agent)), '-m', '-p', '-n', '-i', '-u', '-r', '-w'];
  const stdio: SpawnOptions['stdio'] = [stdin, 'pipe', 'pipe'];
  const options = { stdio, env: { PATH: path, HOME: '/home/agent', ...env } };
  const began = performance.now();
  const child = spawn('/usr/bin/nsenter', [...inside, '-S', '1000', '-G', '1000', ...argv], options);
  child.stdin?.on('error', () => {});
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  if (!keepStdout) child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  let closed = false;
  child.once('close', () => {
    closed = true;
  });
  const pid = () => childOf(child);
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    pid,
    said: async (text) => {
      const holds = () => Buffer.concat(out).includes(text);
      await waitUntil(`${argv.join(' ')} to say ${text}`, answerWithinMs, async () => holds() || closed);
      if (!holds()) throw new Error(`${argv.join(' ')} ended instead: ${Buffer.concat(err).toString()}`);
      return Buffer.concat(out).toString();
    },
    signal: async (signal) => void process.kill(await pid(), signal),
    ended: once(child, 'close').then(([code, signal]) => ({
      code: (code as number | null) ?? -1,
      signal: (signal as NodeJS.Signals | null) ?? '',
      stdout: Buffer.concat(out),
      stderr: Buffer.concat(err).toString(),
      errors: Buffer.concat(err),
      ms: Math.round(performance.now() - began),
    })),
  };
}

/** The same, to its end. */
export async function typed(
  agent: AgentContainer,
  argv: readonly string[],
  options?: TypeOptions,
): Promise<Typed> {
  return (await type(agent, argv, options)).ended;
}

/** Pids, on this machine, of the processes in the container's cgroup. */
export async function processesOf({ id }: Pick<AgentContainer, 'id'>): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => groups[index]?.includes(id)).map(Number);
}

export async function processOf(agent: AgentContainer): Promise<number> {
  const [first] = await processesOf(agent);
  if (first === undefined) throw new Error(`${agent.name} does not run`);
  return first;
}

/** nsenter forks to enter a PID namespace: the program is its only child. */
async function childOf({ pid = 0, exitCode }: ChildProcess): Promise<number> {
  let child = 0;
  await waitUntil('the command to start', answerWithinMs, async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    child = Number(children.trim().split(' ')[0]);
    return child > 0 || exitCode !== null;
  });
  // 0 would be every process of the caller's own group.
  if (child === 0) throw new Error('the command has ended');
  return child;
}
