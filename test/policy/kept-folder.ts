import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/** A folder that can be made again as it was, at the cost of what has changed in it. */
export class KeptFolder implements Disposable {
  readonly #dir: string;
  readonly #template: string;
  readonly #stamps: Map<string, string>;

  /** Keeps a copy of `dir` beside it. */
  constructor(dir: string) {
    this.#dir = dir;
    this.#template = `${dir}.template`;
    cpSync(dir, this.#template, { recursive: true, verbatimSymlinks: true });
    this.#stamps = stampsBelow(dir);
    letTheClockTick();
  }

  /** Paths below the folder: what is new, gone, or was written, replaced or given other rights. */
  changed(): string[] {
    const now = stampsBelow(this.#dir);
    const names = new Set([...this.#stamps.keys(), ...now.keys()]);
    return [...names].filter((name) => this.#stamps.get(name) !== now.get(name));
  }

  /** Whether it was or is a file, and with other contents. */
  isAnotherFile(name: string): boolean {
    return contentsOf(join(this.#template, name)) !== contentsOf(join(this.#dir, name));
  }

  /** Makes again what `changed` told. */
  restore(changed: readonly string[]): void {
    // A folder stands before what is in it.
    for (const name of changed.toSorted()) {
      const at = join(this.#dir, name);
      const wanted = lookAt(join(this.#template, name));
      if (!(wanted?.isDirectory() && lookAt(at)?.isDirectory())) rmSync(at, { recursive: true, force: true });
      if (wanted === undefined) continue;
      make(at, join(this.#template, name), wanted);
      this.#stamps.set(name, stampOf(lstatSync(at)));
    }
    if (changed.length > 0) letTheClockTick();
  }

  [Symbol.dispose](): void {
    rmSync(this.#template, { recursive: true, force: true });
  }
}

function make(at: string, template: string, wanted: Stats): void {
  if (wanted.isSymbolicLink()) return symlinkSync(readlinkSync(template), at);
  if (wanted.isDirectory()) mkdirSync(at, { recursive: true });
  else copyFileSync(template, at);
  chmodSync(at, wanted.mode);
}

function stampsBelow(dir: string): Map<string, string> {
  const stamps = new Map<string, string>();
  const walk = (below: string) => {
    for (const entry of readdirSync(`${dir}/${below}`)) {
      const name = below + entry;
      const stats = lookAt(`${dir}/${name}`);
      // A tool may still be tidying up.
      if (stats === undefined) continue;
      stamps.set(name, stampOf(stats));
      if (stats.isDirectory()) walk(`${name}/`);
    }
  };
  walk('');
  return stamps;
}

/** What is in a folder has stamps of its own. */
function stampOf(stats: Stats): string {
  if (stats.isDirectory()) return `folder ${stats.mode}`;
  return `${stats.ino} ${stats.mode} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function contentsOf(path: string): string | undefined {
  return lookAt(path)?.isFile() ? readFileSync(path, 'latin1') : undefined;
}

/** What is written from here on has a later time: the kernel's steps are up to 10 ms. */
function letTheClockTick(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11);
}
