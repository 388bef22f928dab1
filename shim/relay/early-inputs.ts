import type { Input } from '../../src/execution-io.ts';

/** HUP INT QUIT TERM: before a command runs they mean that it need not. */
const endingSignals: ReadonlySet<number> = new Set([1, 2, 3, 15]);

/** What of the inputs before a command runs still matters when it does: closed readers, the last size, no stdin. */
export class EarlyInputs {
  readonly #kept = new Map<string, Input>();

  keep(input: Input): void {
    if (input.type === 'closed') this.#kept.set(`closed ${input.fd}`, input);
    else if (input.type === 'resize' || input.type === 'stdin-end') this.#kept.set(input.type, input);
  }

  all(): Input[] {
    return [...this.#kept.values()];
  }
}

export function isEndingSignal(signal: number): boolean {
  return endingSignals.has(signal);
}
