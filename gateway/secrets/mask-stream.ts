import { FormIndex } from './form-index.ts';
import { formsOf, mostPieceBytes } from './secret-forms.ts';

export const mask = Buffer.from('***');

/**
 * Masks one stream. Who chooses a part of the stream must not learn by it how a secret begins: what is held back, and for
 * how long, is the same whether or not it is like one.
 */
export interface MaskStream {
  /** All but the last kilobyte, with a mask for each place where a secret stands. */
  readonly push: (bytes: Uint8Array) => Buffer;
  /** Of what is held back, what a line end closes. */
  readonly lines: () => Buffer;
  /** All that is held back: nothing more comes, or not soon. */
  readonly rest: () => Buffer;
  /** The stream ends where nobody meant it to: a line that has no end is masked, whatever stands there. */
  readonly cut: () => Buffer;
}

/** As long as the longest form, less the byte that would complete it. */
const heldBytes = mostPieceBytes - 1;

/** Makes streams that mask these values. */
export function createMasking(values: readonly string[]): () => MaskStream {
  const index = new FormIndex(formsOfAll(values));
  return () => new Masker(index);
}

/** Masks whole texts; its index is made for the first of them. */
export function createHiding(values: readonly string[]): (text: string) => string {
  let index: FormIndex | undefined;
  return (text) => {
    index ??= new FormIndex(formsOfAll(values).flatMap((form) => [form, inSmallLetters(form)]));
    const masker = new Masker(index);
    return Buffer.concat([masker.push(Buffer.from(text)), masker.rest()]).toString();
  };
}

function formsOfAll(values: readonly string[]): Buffer[] {
  return [...new Set(values)].flatMap(formsOf);
}

function inSmallLetters(form: Buffer): Buffer {
  return Buffer.from(form.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)));
}

/** From `start` on the stream is like the beginning of `form`, as far as it has come. */
interface Candidate {
  readonly form: Buffer;
  readonly start: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Positions count from the beginning of the stream. */
class Masker implements MaskStream {
  readonly #index: FormIndex;
  #held = Buffer.alloc(0);
  /** Where `#held` begins. */
  #from = 0;
  /** Before it every place was looked at. */
  #scanned = 0;
  /** Up to here a mask stands already. */
  #covered = 0;
  /** By their start. */
  #open: Candidate[] = [];
  #found: Range[] = [];

  constructor(index: FormIndex) {
    this.#index = index;
  }

  push(bytes: Uint8Array): Buffer {
    const before = this.#from + this.#held.length;
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const text = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const open = this.#open;
    this.#open = [];
    for (const candidate of open) this.#follow(candidate, text, before);
    this.#index.scan(text, this.#scanned - this.#from, (at, forms) => {
      for (const form of forms) this.#follow({ form, start: this.#from + at }, text, this.#from + at);
    });
    const end = this.#index.openEnd(text, this.#scanned - this.#from);
    this.#scanned = this.#from + end;
    return this.#release(text, Math.max(this.#from, this.#from + text.length - heldBytes));
  }

  lines(): Buffer {
    return this.#letGo(this.#from + Math.max(this.#held.lastIndexOf(0x0a), this.#held.lastIndexOf(0x0d)) + 1);
  }

  rest(): Buffer {
    return this.#letGo(this.#from + this.#held.length);
  }

  cut(): Buffer {
    const lines = this.lines();
    return this.rest().length === 0 ? lines : Buffer.concat([lines, mask]);
  }

  #letGo(until: number): Buffer {
    this.#scanned = Math.max(this.#scanned, until);
    return this.#release(this.#held, until);
  }

  /** `from`: before it, the candidate was compared. */
  #follow(candidate: Candidate, text: Buffer, from: number): void {
    const { form, start } = candidate;
    const end = Math.min(start + form.length, this.#from + text.length);
    const isLike = form.compare(text, from - this.#from, end - this.#from, from - start, end - start) === 0;
    if (!isLike) return;
    if (end === start + form.length) this.#found.push({ start, end });
    else this.#open.push(candidate);
  }

  /** Lets go what stands before `until`. */
  #release(text: Buffer, until: number): Buffer {
    const out: Buffer[] = [];
    let at = this.#from;
    const pass = (to: number) => {
      const begin = Math.max(at, this.#covered);
      if (to > begin) out.push(text.subarray(begin - this.#from, to - this.#from));
      at = Math.max(at, to);
    };
    const [now, later] = this.#sorted(until);
    for (const { start, end } of now) {
      // What touches is one: a long secret is looked for in pieces.
      if (start > this.#covered || this.#covered === 0) {
        pass(start);
        out.push(mask);
      }
      this.#covered = Math.max(this.#covered, end);
    }
    pass(until);
    this.#found = later;
    this.#held = Buffer.from(text.subarray(until - this.#from));
    this.#from = until;
    return out.length === 1 && out[0] !== undefined ? out[0] : Buffer.concat(out);
  }

  #sorted(until: number): [Range[], Range[]] {
    if (this.#found.length === 0) return [[], []];
    const found = this.#found.sort((a, b) => a.start - b.start || b.end - a.end);
    const at = found.findIndex(({ start }) => start >= until);
    return at === -1 ? [found, []] : [found.slice(0, at), found.slice(at)];
  }
}
