import { spawn } from 'node:child_process';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was killed because its time was over. */
  readonly isLate?: boolean;
}

export interface CommandOptions {
  readonly input?: string | Uint8Array;
  /** Milliseconds until the command is killed; 60 s if absent. */
  readonly timeout?: number;
  /** What to do next if it took too long. */
  readonly ifLate?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Runs a program and returns its output; throws when it ends with anything but 0. */
export async function run(argv: readonly string[], options: CommandOptions = {}): Promise<string> {
  const result = await attempt(argv, options);
  if (result.isLate === true) {
    const next = options.ifLate ?? result.stderr.trim();
    throw new Error(
      `${argv.join(' ')}: took longer than ${timeoutOf(options) / 1000} s and was ended: ${next}`,
    );
  }
  if (result.code !== 0) throw new Error(`${argv.join(' ')}: ${ending(result)}: ${result.stderr.trim()}`);
  return result.stdout;
}

/** Runs a program to its end. Keeps the output in memory, so it is for short answers only. */
export function attempt(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [program = '', ...args] = argv;
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  const child = spawn(program, args, {
    timeout: timeoutOf(options),
    killSignal: 'SIGKILL',
    ...(options.env && { env: options.env }),
    ...(options.cwd && { cwd: options.cwd }),
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {}); // a program that reads nothing is not a failure
  child.stdin.end(options.input);
  child.on('error', reject);
  child.on('close', (code, signal) => {
    const [stdout, stderr] = [Buffer.concat(out).toString(), Buffer.concat(err).toString()];
    resolve({ stdout, stderr, code, signal, isLate: signal !== null && child.killed });
  });
  return promise;
}

function timeoutOf({ timeout = 60_000 }: CommandOptions): number {
  return timeout;
}

function ending(result: CommandResult): string {
  return result.signal ? `killed by ${result.signal}` : `exit status ${result.code}`;
}
