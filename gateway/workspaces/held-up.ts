/** For so long no command of a followed agent begins on a host that held up exchanges with others. */
const awayMs = 10 * 60_000;

/** Hosts that held up exchanges with others. */
export class HeldUp {
  readonly #until = new Map<string, number>();

  /** Returns what people are told. */
  note(host: string): string {
    this.#until.set(host, performance.now() + awayMs);
    return textOf(host);
  }

  /** `undefined` if it did not, or if that was long ago. */
  why(host: string): string | undefined {
    const until = this.#until.get(host);
    return until !== undefined && performance.now() < until ? textOf(host) : undefined;
  }

  /** A person says that the host may be tried again. */
  forget(host: string): void {
    this.#until.delete(host);
  }
}

function textOf(host: string): string {
  return `the replica on ${host} held up exchanges with other hosts: followed agents use others for 10 minutes`;
}
