import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sanitizedProgram } from './native-builds.ts';

/**
 * One thing that happens in a tree: rename, swap, make a folder, write a file, delete; lease a file, so that nobody else
 * can open it, or give it back; a wait of `path` ms; the carrier's end by SIGKILL. Or something that fails with the error `at`: every look at the name
 * `path`, its opening or reading as a link alone, the listing of a folder when it comes to that name, or (`path` is empty) the question for
 * attributes.
 */
export interface Step {
  readonly what: keyof typeof letters;
  readonly path: string;
  readonly to?: string;
}

/** Right before the carrier's `at`-th look at its tree or change of it. */
export interface TimedStep extends Step {
  readonly at: number;
}

const letters = {
  ...{ rename: 'r', swap: 'x', make: 'm', write: 'w', delete: 'd' },
  ...{ lease: 'l', 'give back': 'b', wait: 's', kill: 'e', fail: 'f' },
  ...{ 'fail to open': 'o', 'fail to read link': 'k', 'fail to list': 'n', 'fail attributes': 'a' },
} as const;
const stepsMost = 8;
const pathBytes = 248;
const stepBytes = 8 + 2 * pathBytes;
/** What is asked for stands behind them. */
const stepsBytes = 8 + stepsMost * stepBytes;

/** What `between.c` does in a tree between two system calls of its carrier. */
export class BetweenSteps implements Disposable {
  /** The carrier, and what starts it so that it follows these steps. */
  static readonly carrier = sanitizedProgram('clawrden-between');
  readonly wrapper: readonly string[];
  readonly #file: number;

  constructor(folder: string) {
    const path = join(folder, 'steps');
    this.#file = openSync(path, 'w+');
    writeSync(this.#file, Buffer.alloc(stepsBytes + 4));
    this.wrapper = ['env', `CLAWRDEN_STEPS=${path}`];
  }

  /** From the carrier's next call on, which is the 0th. */
  set(root: string, steps: readonly TimedStep[]): void {
    const bytes = Buffer.alloc(stepsBytes);
    bytes.writeUInt32LE(steps.length, 4);
    for (const [index, { at, what, path, to = '' }] of steps.entries()) {
      const from = 8 + index * stepBytes;
      bytes.writeUInt32LE(at, from);
      bytes.write(letters[what], from + 4);
      bytes.write(what.startsWith('fail') ? path : join(root, path), from + 8);
      bytes.write(join(root, to), from + 8 + pathBytes);
    }
    writeSync(this.#file, bytes, 0, bytes.length, 0);
  }

  /** How many calls there were since. */
  get calls(): number {
    const bytes = Buffer.alloc(4);
    readSync(this.#file, bytes, 0, 4, 0);
    return bytes.readUInt32LE(0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
