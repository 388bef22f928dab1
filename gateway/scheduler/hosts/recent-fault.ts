const rememberedMs = 10 * 60_000;

/** What went wrong on a host a short while ago. */
export class RecentFault {
  #text = '';
  #until = 0;

  note(text: string): void {
    this.#text = text;
    this.#until = performance.now() + rememberedMs;
  }

  /** Empty after 10 minutes. */
  get current(): string {
    return performance.now() < this.#until ? this.#text : '';
  }
}
