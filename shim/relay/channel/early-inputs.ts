import { endingSignals } from '../../../src/wire/ending-signals.ts';
import type { Input } from '../../../src/wire/execution-io.ts';

/** The inputs before a command runs that still matter when it starts. */
export class EarlyInputs {
  readonly #kept = new Map<string, Input>();
  #endingSignal: number | undefined;

  keep(input: Input): void {
    if (input.type === 'closed') this.#kept.set(`closed ${input.fd}`, input);
    else if (input.type === 'resize' || input.type === 'stdin-end') this.#kept.set(input.type, input);
    else if (input.type === 'signal' && endingSignals.has(input.signal)) this.#endingSignal ??= input.signal;
  }

  /** Closed readers and the last size, for the tool. No stdin comes before credit. */
  all(): Input[] {
    return [...this.#kept.values()];
  }

  /** The first signal that cancels the command. */
  get endingSignal(): number | undefined {
    return this.#endingSignal;
  }
}
