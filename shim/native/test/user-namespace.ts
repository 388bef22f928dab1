import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Users as on the machine, with limits of their own for what the kernel counts by user. */
export class UserNamespace implements Disposable {
  readonly #holder: ChildProcess;
  readonly #started: ChildProcess[] = [];

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  static async make(): Promise<UserNamespace> {
    const holder = spawn('unshare', ['--user', 'sleep', '60'], { stdio: 'ignore' });
    const made = new UserNamespace(holder);
    const ours = readlinkSync('/proc/self/ns/user');
    const end = performance.now() + 10_000;
    while (readlinkSync(`/proc/${holder.pid}/ns/user`) === ours) {
      if (performance.now() > end) throw new Error('unshare made no namespace of users in 10 s');
      await sleep(10);
    }
    for (const ids of ['uid_map', 'gid_map']) writeFileSync(`/proc/${holder.pid}/${ids}`, '0 0 65536');
    return made;
  }

  /** In front of a command, which is root in it. */
  get wrapper(): readonly string[] {
    return ['nsenter', '--user', '--target', `${this.#holder.pid}`, '--setuid', '0', '--setgid', '0'];
  }

  run(...argv: readonly string[]): void {
    const [program = '', ...args] = [...this.wrapper, ...argv];
    execFileSync(program, args);
  }

  /** Starts a program that ends with the namespace. Its first output. */
  async start(argv: readonly string[]): Promise<string> {
    const [program = '', ...args] = [...this.wrapper, ...argv];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#started.push(child);
    const [output] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(20_000) })) as [Buffer];
    return output.toString();
  }

  [Symbol.dispose](): void {
    for (const child of [...this.#started, this.#holder]) child.kill('SIGKILL');
  }
}
