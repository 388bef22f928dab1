import { FormIndex } from './form-index.ts';
import { JoinedText, type JoinState } from './joined-text.ts';
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

/** Behind a line of so much base64 the next one may go on with it: base64 is wrapped at 60 letters and more. */
const lineEnd = /(?<![A-Za-z0-9+/_-]{60}\r?)[\r\n]/g;

/** The forms of secrets: in an output as it is, and in the joined one. */
interface Forms {
  readonly plain: FormIndex;
  readonly joined: FormIndex;
}

/** Makes streams that mask these values. */
export function createMasking(values: readonly string[]): () => MaskStream {
  const forms = indexed(values, (form) => [form]);
  return () => new Masker(forms);
}

/** Masks whole texts; its index is made for the first of them. */
export function createHiding(values: readonly string[]): (text: string) => string {
  let forms: Forms | undefined;
  return (text) => {
    forms ??= indexed(values, (form) => [form, inSmallLetters(form)]);
    const masker = new Masker(forms);
    return Buffer.concat([masker.push(Buffer.from(text)), masker.rest()]).toString();
  };
}

function indexed(values: readonly string[], spelled: (form: Buffer) => Buffer[]): Forms {
  const forms = [...new Set(values)].map(formsOf);
  return {
    plain: new FormIndex(forms.flatMap(({ plain }) => plain).flatMap(spelled)),
    joined: new FormIndex(forms.flatMap(({ joined }) => joined).flatMap(spelled)),
  };
}

function inSmallLetters(form: Buffer): Buffer {
  return Buffer.from(form.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)));
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Place {
  readonly at: number;
  readonly length: number;
}

class Masker implements MaskStream {
  readonly #forms: Forms;
  /** The last bytes: what begins here may be a secret with what comes. Positions count from its beginning. */
  #text: Buffer = Buffer.alloc(0);
  #joining: JoinState = { at: 0, isBehindBreak: false };
  /** Before it, all was let go. */
  #gone = 0;
  /** Up to here a mask stands already. */
  #covered = -1;

  constructor(forms: Forms) {
    this.#forms = forms;
  }

  push(bytes: Uint8Array): Buffer {
    this.#text = Buffer.concat([this.#text, bytes]);
    return this.#letGo(this.#decided());
  }

  lines(): Buffer {
    const ends = [...this.#text.toString('latin1').matchAll(lineEnd)];
    return this.#letGo((ends.at(-1)?.index ?? -1) + 1);
  }

  rest(): Buffer {
    return this.#letGo(this.#text.length);
  }

  cut(): Buffer {
    const lines = this.lines();
    return this.rest().length === 0 ? lines : Buffer.concat([lines, mask]);
  }

  /** Whether a secret begins before it does not depend on what comes. */
  #decided(): number {
    return Math.max(0, this.#text.length - heldBytes);
  }

  /** Lets go what stands before `wanted`. */
  #letGo(wanted: number): Buffer {
    const [until, decided] = [Math.max(wanted, this.#gone), this.#decided()];
    if (until === this.#gone && decided === 0) return Buffer.alloc(0);
    const joined = new JoinedText(this.#text, this.#joining);
    const { at, isBehindBreak } = joined.readTo(decided);
    const out = this.#masked([...this.#foundPlain(until), ...this.#foundIn(joined, until)], until);
    this.#joining = { at: at - decided, isBehindBreak };
    this.#text = Buffer.from(this.#text.subarray(decided));
    this.#gone = until - decided;
    this.#covered -= decided;
    return out;
  }

  #foundPlain(until: number): Range[] {
    return placesOf(this.#forms.plain, this.#text, until).map(({ at, length }) => ({
      start: at,
      end: at + length,
    }));
  }

  #foundIn(joined: JoinedText, until: number): Range[] {
    joined.readTo(until);
    const starts = joined.bytes.length;
    joined.readTo(this.#text.length);
    const found = placesOf(this.#forms.joined, joined.bytes, starts).map((place) => joined.placeOf(place));
    // Of a longer one it depends on the chunks whether its beginning is still here.
    return found.filter(({ start, end }) => end - start <= mostPieceBytes);
  }

  /** What is let go, with masks. What a mask stands for already is found again while it may grow. */
  #masked(found: Range[], until: number): Buffer {
    const out: Buffer[] = [];
    let at = this.#gone;
    const pass = (to: number) => {
      const begin = Math.max(at, this.#covered);
      if (to > begin) out.push(this.#text.subarray(begin, to));
      at = Math.max(at, to);
    };
    for (const { start, end } of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (end <= Math.max(at, this.#covered)) continue;
      pass(start);
      // What touches is one: a long secret is looked for in pieces.
      if (at > this.#covered) out.push(mask);
      this.#covered = end;
    }
    pass(until);
    return Buffer.concat(out);
  }
}

/** Where forms stand in the text, from before `until` on. */
function placesOf(index: FormIndex, text: Buffer, until: number): Place[] {
  const places: Place[] = [];
  index.scan(text, until, (at, forms) => {
    for (const form of forms) {
      const end = at + form.length;
      if (end <= text.length && form.compare(text, at, end) === 0) places.push({ at, length: form.length });
    }
  });
  return places;
}
