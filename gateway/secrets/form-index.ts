/** Forms by their first bytes, so that most bytes of an output are looked at once. */
export class FormIndex {
  readonly #firsts = new Uint8Array(1 << 8);
  readonly #pairs = new Uint8Array(1 << 16);
  readonly #triples = new Set<number>();
  readonly #byStart = new Map<number, Buffer[]>();

  /** Each form has at least four bytes. */
  constructor(forms: readonly Buffer[]) {
    for (const form of forms) {
      const start = form.readUInt32BE(0);
      this.#firsts[start >>> 24] = 1;
      this.#pairs[start >>> 16] = 1;
      this.#triples.add(start >>> 8);
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), form]);
    }
  }

  /** Calls `visit` for each place, from `from` on, where the first four bytes of forms stand. */
  scan(text: Buffer, from: number, visit: (at: number, forms: readonly Buffer[]) => void): void {
    const pairs = this.#pairs;
    const last = text.length - 4;
    for (let at = from; at <= last; at += 1) {
      if (pairs[((text[at] ?? 0) << 8) | (text[at + 1] ?? 0)] === 0) continue;
      const forms = this.#byStart.get(text.readUInt32BE(at));
      if (forms !== undefined) visit(at, forms);
    }
  }

  /** Where, from `from` on, the last bytes may be the first of a form; the length of the text if nowhere. */
  openEnd(text: Buffer, from: number): number {
    const { length } = text;
    for (let at = Math.max(from, length - 3); at < length; at += 1) {
      if (this.#mayBegin(text, at, length - at)) return at;
    }
    return length;
  }

  #mayBegin(text: Buffer, at: number, bytes: number): boolean {
    if (bytes === 3) return this.#triples.has(text.readUIntBE(at, 3));
    if (bytes === 2) return this.#pairs[text.readUInt16BE(at)] === 1;
    return this.#firsts[text.readUInt8(at)] === 1;
  }
}
