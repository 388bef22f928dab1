import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InitPlan } from '../../../src/init-client/plan-encoding.ts';
import { readStrings } from '../../../src/init-client/read-strings.ts';
import { FrameType } from '../../../src/wire/frames.ts';
import { type InitEnd, InitProcess } from './init-process.ts';
import { sanitizedProgram } from './native-builds.ts';

const user = 1000;
const asRoot = process.geteuid?.() === 0;
const asUser = asRoot ? ['setpriv', '--reuid', `${user}`, '--regid', `${user}`, '--clear-groups'] : [];
/** More than any shell reads at once. */
const padding = `# ${'.'.repeat(77)}\n`.repeat(400);

/** A folder with a script, two links to it, and everything that could replace it. */
export class HeldScript {
  readonly root: string;
  readonly app: string;
  readonly #init: string;

  constructor(root: string, init: string) {
    this.root = root;
    this.app = join(root, 'app');
    this.#init = init;
    for (const folder of ['', 'app', 'app/real', 'app/evil', 'spare', 'spare/way']) this.#folder(folder);
    const script = `echo one\nuntil [ -e '${join(root, 'GO')}' ]; do sleep 0.02; done\n${padding}echo two\n`;
    this.#file('app/real/x.sh', script);
    linkSync(join(this.app, 'real/x.sh'), join(this.app, 'twin'));
    for (const place of ['app/evil/x.sh', 'app/other', 'spare/way/x.sh'])
      this.#file(place, this.evilLine.repeat(2000));
    symlinkSync('real', join(this.app, 'way'));
    symlinkSync(join(this.app, 'evil'), join(this.app, 'detour'));
    symlinkSync('evil/x.sh', join(this.app, 'astray'));
  }

  get evilLine(): string {
    return `echo evil >> ${join(this.root, 'CANARY')}\n`;
  }

  /** Whether a line ran that the inspection did not see. */
  get evilRan(): boolean {
    return existsSync(join(this.root, 'CANARY'));
  }

  at(place: string): string {
    return join(this.app, place);
  }

  /** Lets the script run to its end. */
  letGo(): void {
    writeFileSync(join(this.root, 'GO'), '');
  }

  async look(
    operand: string,
    over: Partial<InitPlan> = {},
    wrapper: readonly string[] = [],
  ): Promise<readonly string[]> {
    const plan = { ...this.#plan('false', operand), inspect: true, ...over };
    await using command = InitProcess.start(this.#init, plan, [...wrapper, ...asUser]);
    return readStrings((await command.inbox.first(FrameType.operands)).payload);
  }

  start(
    shell: string,
    operand: string,
    expected: readonly string[],
    over: Partial<InitPlan> = {},
  ): InitProcess {
    return InitProcess.start(this.#init, { ...this.#plan(shell, operand), expected, ...over }, asUser);
  }

  #plan(shell: string, operand: string): Partial<InitPlan> {
    return { argv: [shell, operand], cwd: this.app, workspace: this.root, operands: [operand] };
  }

  async run(shell: string, operand: string, expected: readonly string[]): Promise<InitEnd> {
    await using command = this.start(shell, operand, expected);
    return await command.end();
  }

  /** Paths of both are below the folder of the script. */
  exchange(how: string, path: string, other: string, microseconds: number): Promise<Exchange> {
    return Exchange.prepare([how, this.at(path), this.at(other), `${microseconds}`, this.evilLine]);
  }

  #folder(name: string): void {
    mkdirSync(join(this.root, name), { recursive: true });
    if (asRoot) chownSync(join(this.root, name), user, user);
  }

  #file(name: string, text: string): void {
    writeFileSync(join(this.root, name), text);
    if (asRoot) chownSync(join(this.root, name), user, user);
  }
}

/**
 * One process that is ready to change something. It is a separate process because a writer of a held file must wait.
 */
export class Exchange {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = once(child, 'exit');
  }

  static async prepare(argv: readonly string[]): Promise<Exchange> {
    const [command = '', ...args] = [...asUser, sanitizedProgram('clawrden-exchange'), ...argv];
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const exchange = new Exchange(child);
    if (child.stdout !== null) await once(child.stdout, 'data');
    return exchange;
  }

  go(): void {
    this.#child.stdin?.end('go\n');
  }

  /** A waiting writer continues when nothing is held; rejects if it continues earlier than it may. */
  async done(): Promise<void> {
    const [code] = await this.#exit;
    if (code !== 0) throw new Error(`the exchange ended with ${String(code)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }
}
