import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeRelay, type RelayConnection } from './fake-relay.ts';
import type { NativeBuild } from './native-builds.ts';

export interface ShimEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of tool links to one build's shim, and the relay that they find. */
export class ShimBench {
  readonly directory = mkdtempSync(join(tmpdir(), 'clawrden-shim-'));
  readonly jail = join(this.directory, 'bin');
  readonly socket = join(this.directory, 'warden.sock');
  readonly #children = new Set<ChildProcess>();

  constructor(build: NativeBuild, tools: readonly string[] = ['tool']) {
    mkdirSync(this.jail);
    for (const tool of tools) symlinkSync(build.shim, join(this.jail, tool));
  }

  async relay(): Promise<FakeRelay> {
    return await FakeRelay.listen(this.socket);
  }

  /** A tool, by its link. */
  tool(args: readonly string[] = [], options: SpawnOptions = {}): ShimRun {
    return this.run([join(this.jail, 'tool'), ...args], options);
  }

  /** A bash script in which `$T` is the tool. */
  script(script: string, options: SpawnOptions = {}): ShimRun {
    // With a socket as stdin, bash takes itself for a remote shell and would read the user's own set-up.
    return this.run(['bash', '--norc', '-c', script], options);
  }

  run(
    argv: readonly string[],
    { env = {}, stdio = 'pipe', cwd, detached = true }: SpawnOptions = {},
  ): ShimRun {
    const [command, ...args] = argv;
    const child = spawn(command as string, args, {
      stdio,
      detached,
      cwd: cwd ?? this.directory,
      env: { PATH: process.env.PATH, T: join(this.jail, 'tool'), CLAWRDEN_SOCKET: this.socket, ...env },
    });
    this.#children.add(child);
    return new ShimRun(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Runs a bash script in which `$T` is the tool, and returns the first shim that connects, answered with `acks`. */
export async function withShim(
  build: NativeBuild,
  script: string,
  use: (run: ShimRun, relay: RelayConnection, bench: ShimBench) => Promise<void>,
  { acks = [0], input, files = {} }: ServeOptions = {},
): Promise<void> {
  await using bench = new ShimBench(build);
  await using relay = await bench.relay();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(bench.directory, name), text);
  const run = bench.script(script);
  if (input !== undefined) run.child.stdin?.end(input);
  const connection = await relay.next();
  await connection.answer(...acks);
  await use(run, connection, bench);
  connection.socket.destroy();
}

export interface ServeOptions {
  readonly acks?: readonly number[];
  /** The whole stdin of the script; if absent, stdin stays open. */
  readonly input?: string | Uint8Array | undefined;
  /** By name, in the script's directory. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface SpawnOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
  readonly detached?: boolean;
}

export class ShimRun {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdin?.on('error', () => {});
    child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString('latin1');
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  async end(): Promise<ShimEnd> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    const { exitCode: code, signalCode: signal } = this.child;
    return { code, signal, stdout: this.stdout, stderr: this.stderr };
  }
}
