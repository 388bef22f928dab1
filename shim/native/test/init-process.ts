import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { encodePlan, type InitPlan } from '../../../src/init-client/plan-encoding.ts';
import { encodeFrame, FrameType } from '../../../src/wire/frames.ts';
import { FrameInbox } from './frame-inbox.ts';

export interface InitEnd {
  readonly code: number;
  readonly signal: number;
  readonly cause: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The text of a refusal; then the numbers above are -1. */
  readonly refused?: string;
}

const plainPlan: InitPlan = {
  mirror: false,
  stdinNone: false,
  terminal: false,
  confine: false,
  inspect: false,
  network: false,
  leave: false,
  stdio: ['null', 'pipe', 'pipe'],
  umask: 0o22,
  cols: 80,
  rows: 24,
  ignored: [],
  blocked: [],
  runMs: 0,
  idleMs: 0,
  outputBytes: 0,
  fileBytes: 0,
  cwd: '/',
  workspace: '',
  argv: ['true'],
  env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
  operands: [],
  expected: [],
  files: [],
};

/** A plan for a test: the given fields, over a shell script with plain pipes. */
export function planOf(over: Partial<InitPlan> & { readonly script?: string }): InitPlan {
  const { script, ...rest } = over;
  return { ...plainPlan, ...(script === undefined ? {} : { argv: ['sh', '-c', script] }), ...rest };
}

/** A real init as a child process; the test plays the gateway. Kill it by `await using`. */
export class InitProcess {
  readonly child: ChildProcess;
  readonly inbox: FrameInbox;
  readonly #stdin: Duplex;
  #diagnostic = '';

  /** `wrapper` is put before the program: setpriv, unshare. */
  constructor(
    binary: string,
    wrapper: readonly string[] = [],
    env: NodeJS.ProcessEnv = process.env,
    words: readonly string[] = [],
  ) {
    const [command = binary, ...args] = [...wrapper, binary, ...words];
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env });
    const { stdin, stdout, stderr } = this.child;
    if (stdin === null || stdout === null || stderr === null) throw new Error('pipes are missing');
    stdin.on('error', () => {});
    stderr.on('data', (chunk: Buffer) => {
      this.#diagnostic += chunk.toString();
    });
    this.#stdin = stdin as Duplex;
    this.inbox = new FrameInbox(stdout);
  }

  /** Starts one and sends its plan. */
  static start(
    binary: string,
    plan: Partial<InitPlan> & { readonly script?: string },
    wrapper: readonly string[] = [],
    env?: NodeJS.ProcessEnv,
  ): InitProcess {
    const init = new InitProcess(binary, wrapper, env);
    init.send(FrameType.plan, encodePlan(planOf(plan)));
    return init;
  }

  send(type: number, payload: Uint8Array = new Uint8Array()): void {
    this.write(encodeFrame(type, payload));
  }

  write(bytes: Uint8Array): void {
    this.#stdin.write(bytes);
  }

  /** As if the gateway had died. */
  hangUp(): void {
    this.#stdin.end();
  }

  /** Credit granted so far. */
  get credit(): number {
    return this.inbox.frames
      .filter(({ type }) => type === FrameType.credit)
      .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
  }

  /** Waits for credit, so that the next bytes may be sent. */
  async sendStdin(bytes: Uint8Array): Promise<void> {
    await this.inbox.first(FrameType.credit);
    this.send(FrameType.stdin, bytes);
  }

  /** Its last frame, when the process has ended and has printed no complaint. */
  async end(): Promise<InitEnd> {
    const isLast = ({ type }: { type: number }) => type === FrameType.exit || type === FrameType.refused;
    await this.inbox.until(() => this.inbox.frames.some(isLast), `an end (${this.#diagnostic})`);
    await this.exited();
    if (this.#diagnostic !== '') throw new Error(this.#diagnostic);
    const last = this.inbox.frames.at(-1);
    if (last === undefined || !isLast(last)) throw new Error('the end is not the last frame');
    const [code = -1, signal = -1, cause = -1] = last.type === FrameType.exit ? last.payload : [];
    return {
      code,
      signal,
      cause,
      stdout: this.inbox.bytes(FrameType.stdout).toString(),
      stderr: this.inbox.bytes(FrameType.stderr).toString(),
      ...(last.type === FrameType.refused ? { refused: last.payload.toString() } : {}),
    };
  }

  /** The exit code of the init itself. */
  async exited(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  get diagnostic(): string {
    return this.#diagnostic;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited();
  }
}
