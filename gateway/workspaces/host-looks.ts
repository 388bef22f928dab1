/** Looks at each host again and again: none waits for the look at another, and the next one begins when it is over. */
export class HostLooks {
  readonly #look: (host: string) => Promise<void>;
  readonly #looking = new Map<string, Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  /** `look` never rejects. */
  constructor(everyMs: number, hosts: () => Iterable<string>, look: (host: string) => Promise<void>) {
    this.#look = look;
    this.#timer = setInterval(() => {
      for (const host of hosts()) this.#begin(host);
    }, everyMs);
  }

  /** Resolves when none goes on. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#looking.values());
  }

  #begin(host: string): void {
    if (this.#looking.has(host)) return;
    const ended = this.#look(host).finally(() => this.#looking.delete(host));
    this.#looking.set(host, ended);
  }
}
