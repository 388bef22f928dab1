/** Forms that begin with the same bytes. */
interface Group {
  readonly forms: readonly Buffer[];
  /** By the next four bytes, if there are many. */
  readonly next?: ReadonlyMap<number, Group>;
  /** Those that end before. */
  readonly short: readonly Buffer[];
}

/** So few are compared one after the other. */
const few = 8;

/** `same`: how many bytes all of them begin with. */
function groupOf(forms: readonly Buffer[], same: number): Group {
  if (forms.length <= few) return { forms, short: [] };
  const isLong = ({ length }: Buffer) => length >= same + 4;
  const byNext = Map.groupBy(forms.filter(isLong), (form) => form.readUInt32BE(same));
  const next = new Map([...byNext].map(([bytes, group]) => [bytes, groupOf(group, same + 4)]));
  return { forms, next, short: forms.filter((form) => !isLong(form)) };
}

/** Forms by their first bytes, so that most bytes of an output are looked at once. */
export class FormIndex {
  readonly #pairs = new Uint8Array(1 << 16);
  readonly #byStart: ReadonlyMap<number, Group>;

  /** Each form has at least four bytes. */
  constructor(forms: readonly Buffer[]) {
    for (const form of forms) this.#pairs[form.readUInt16BE(0)] = 1;
    const byStart = Map.groupBy(forms, (form) => form.readUInt32BE(0));
    this.#byStart = new Map([...byStart].map(([start, group]) => [start, groupOf(group, 4)]));
  }

  /**
   * Calls `visit` for each place before `until` where at least the first four bytes of forms stand. What forms have in
   * common costs once, however many they are.
   */
  scan(text: Buffer, until: number, visit: (at: number, forms: readonly Buffer[]) => void): void {
    const pairs = this.#pairs;
    const last = text.length - 4;
    const end = Math.min(until, last + 1);
    for (let at = 0; at < end; at += 1) {
      if (pairs[((text[at] ?? 0) << 8) | (text[at + 1] ?? 0)] === 0) continue;
      let group = this.#byStart.get(text.readUInt32BE(at));
      for (let next = at + 4; group?.next !== undefined && next <= last; next += 4) {
        if (group.short.length > 0) visit(at, group.short);
        group = group.next.get(text.readUInt32BE(next));
      }
      if (group !== undefined) visit(at, group.forms);
    }
  }
}
