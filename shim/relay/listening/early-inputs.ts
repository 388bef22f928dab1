import type { Input } from '../../../src/wire/execution-io.ts';

/** HUP INT QUIT TERM: before a command runs they mean that it need not. */
const endingSignals: ReadonlySet<number> = new Set([1, 2, 3, 15]);

/** What of the inputs before a command runs still matters when it does. */
export class EarlyInputs {
  readonly #kept = new Map<string, Input>();
  #endingSignal: number | undefined;

  keep(input: Input): void {
    if (input.type === 'closed') this.#kept.set(`closed ${input.fd}`, input);
    else if (input.type === 'resize' || input.type === 'stdin-end') this.#kept.set(input.type, input);
    else if (input.type === 'signal' && endingSignals.has(input.signal)) this.#endingSignal ??= input.signal;
  }

  /** Closed readers, the last size, no stdin: for the tool, in whatever order. */
  all(): Input[] {
    return [...this.#kept.values()];
  }

  /** The first signal that asked for the end. */
  get endingSignal(): number | undefined {
    return this.#endingSignal;
  }
}
