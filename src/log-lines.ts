import type { Stderr } from './patient-stderr.ts';

/** Bytes of lines that wait for a reader, or for a disk with room; more are dropped. */
const mostWaiting = 1024 * 1024;
const tryAgainMs = 20;
/** How long the end of the process may wait for what is left. */
const lastMs = 500;

/** Lines on their way to stderr. Nobody waits for them: those that are too many are counted and told of. */
export class LogLines {
  readonly #stderr: Stderr;
  readonly #tellDropped: (count: number) => void;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;
  #again: NodeJS.Timeout | undefined;

  constructor(stderr: Stderr, tellDropped: (count: number) => void) {
    this.#stderr = stderr;
    this.#tellDropped = tellDropped;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#bytes + bytes.length > mostWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    // If others wait, the timer tries for all of them.
    if (this.#again === undefined) this.#drain();
  }

  /** What is left when the process ends. */
  end(): void {
    this.#stderr.takeWithin(Buffer.concat(this.#waiting), lastMs);
  }

  #drain(): void {
    this.#again = undefined;
    let done = 0;
    for (const line of this.#waiting) {
      const taken = this.#stderr.take(line);
      this.#bytes -= taken;
      if (taken < line.length) {
        this.#waiting = [line.subarray(taken), ...this.#waiting.slice(done + 1)];
        this.#again = setTimeout(() => this.#drain(), tryAgainMs).unref();
        return;
      }
      done += 1;
    }
    this.#waiting = [];
    this.#tell();
  }

  #tell(): void {
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#tellDropped(count);
  }
}
