import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { KeptFolder } from './kept-folder.ts';
import { fillScratch } from './scratch-files.ts';

export interface Deed {
  /** The marked programs that ran, each with its arguments. */
  readonly calls: readonly (readonly string[])[];
  /** Files that are new, changed or gone. */
  readonly touched: readonly string[];
  readonly status: number | null;
}

/** First Debian's own folders, then those of the tests' runner. */
const path = [
  ...['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'],
  ...(process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/')),
];

/** The tool's file; absent if it is not installed. */
export function findTool(name: string): string | undefined {
  return path.map((folder) => join(folder, name)).find(isExecutable);
}

/** A machine need not have every tool of which Clawrden has data. */
export function skipWithout(tool: string, context: Pick<TestContext, 'skip'>): void {
  if (findTool(tool) === undefined) context.skip(`${tool} is not installed`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A folder that is the same for each run. */
export class Scratch implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'clawrden-tools-'));
  readonly #mark = `${this.dir}.mark`;
  readonly #kept: KeptFolder;

  constructor() {
    fillScratch(this.dir, this.#mark);
    this.#kept = new KeptFolder(this.dir);
  }

  /** Runs a tool alone, without a terminal, and returns the result when everything that it started has ended. */
  run([tool = '', ...args]: readonly string[], input = '', timeout = 5000): Deed {
    const { status } = spawnSync(findTool(tool) ?? tool, args, {
      argv0: tool,
      cwd: this.dir,
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout,
      maxBuffer: 1 << 26,
      env: this.#environment(),
    });
    const changed = this.#kept.changed();
    const touched = changed.filter((name) => !books.test(name) && this.#kept.isAnotherFile(name));
    const calls = this.#calls();
    if (calls.length > 0) rmSync(this.#mark, { force: true });
    if (calls.length > 0 || touched.length > 0) this.#kept.restore(changed);
    return { calls, touched, status };
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
    for (const end of ['', '.bin', '.cache', '.mark'])
      rmSync(`${this.dir}${end}`, { recursive: true, force: true });
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: [`${this.dir}.bin`, ...path].join(':'),
      HOME: this.dir,
      LC_ALL: 'C',
      TERM: 'xterm',
      GIT_TERMINAL_PROMPT: '0',
      DOCKER_HOST: `unix://${this.dir}/none.sock`,
      MARKED: '!./c.sh',
    };
  }

  #calls(): string[][] {
    try {
      const lines = readFileSync(this.#mark, 'latin1').split('\n').slice(0, -1);
      return lines.map((line) => line.split('\x1f'));
    } catch {
      return [];
    }
  }
}

/** Files that tools keep for themselves while they read. pip reports to an index which rustc there is, so it runs rustc. */
const books =
  /^(\.git|evil\.git|\.npm|\.cache|\.kube\/cache|\.terraform\.d|\.docker|\.rustup|\.cargo|\.config\/gh|\.local\/state\/gh|\.yarn|\.pnpm|\.local\/share\/pnpm|\.local\/state\/pnpm)\//;
