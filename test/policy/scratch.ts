import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Deed {
  /** A program that the arguments name was run. */
  readonly ran: boolean;
  /** Files that are new, changed or gone. */
  readonly touched: readonly string[];
  readonly status: number | null;
}

/** A folder with something for every tool to work on, and a script `c.sh` that leaves a mark where it is run. */
export class Scratch implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'clawrden-tools-'));
  readonly #mark = `${this.dir}.mark`;

  constructor() {
    this.#fill();
  }

  /** Runs a tool by itself, without a terminal, and says what came of it; the folder is as before afterwards. */
  run(argv: readonly string[]): Deed {
    const before = this.#files();
    const [tool = '', ...args] = argv;
    const { status } = spawnSync(tool, args, {
      cwd: this.dir,
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 5000,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.dir, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    });
    const after = this.#files();
    const names = new Set([...before.keys(), ...after.keys()]);
    const touched = [...names].filter((name) => before.get(name) !== after.get(name));
    const ran = existsSync(this.#mark);
    if (ran || touched.length > 0) this.#fill();
    return { ran, touched, status };
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
    rmSync(this.#mark, { force: true });
  }

  #fill(): void {
    rmSync(this.dir, { recursive: true, force: true });
    rmSync(this.#mark, { force: true });
    mkdirSync(join(this.dir, 'sub'), { recursive: true });
    writeFileSync(join(this.dir, 'c.sh'), `#!/bin/sh\ntouch ${this.#mark}\ncat 2>/dev/null\n`);
    chmodSync(join(this.dir, 'c.sh'), 0o755);
    writeFileSync(join(this.dir, 'f'), 'b 1\na 2\n'.repeat(4000));
    writeFileSync(join(this.dir, 'sub/g'), 'x\n');
    for (const argv of [
      ['tar', '-cf', 'y.tar', 'f', 'sub'],
      ['git', 'init', '-q', '.'],
      ['git', 'add', 'f', 'sub'],
      ['git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one'],
    ]) {
      spawnSync(argv[0] ?? '', argv.slice(1), {
        cwd: this.dir,
        stdio: 'ignore',
        env: { ...process.env, HOME: this.dir },
      });
    }
  }

  /** Git keeps its own books as it looks. */
  #files(): Map<string, string> {
    const entries = readdirSync(this.dir, { recursive: true, withFileTypes: true });
    return new Map(
      entries
        .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes('/.git/'))
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [file.slice(this.dir.length + 1), readFileSync(file, 'latin1')]),
    );
  }
}
