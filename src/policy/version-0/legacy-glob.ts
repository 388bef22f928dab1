/** The first Clawrden's globs: `*`, `?`, `[a-z]`, `[^a-z]` and `\` before a literal. */
export type LegacyGlob = readonly ('*' | OneOf)[];

/** One character inside one of the ranges or, if `negated`, outside of all of them. */
interface OneOf {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [low: string, high: string])[];
}

const anyOne: OneOf = { negated: true, ranges: [] };

/** `undefined` for an invalid pattern. */
export function compileLegacyGlob(pattern: string): LegacyGlob | undefined {
  const items: ('*' | OneOf)[] = [];
  let rest = pattern;
  while (rest !== '') {
    // Anchored at the start: a class, an escaped character, or any one character.
    const [token = ''] = /^(?:\[(?!\^\])\^?(?:\\.|[^\]\\])+\]|\\.|[^[\\])/su.exec(rest) ?? [];
    if (token === '') return undefined;
    items.push(toItem(token));
    rest = rest.slice(token.length);
  }
  return items;
}

/** Anchored at both ends; time in proportion to text times pattern. */
export function matchesLegacyGlob(glob: LegacyGlob, text: string): boolean {
  let [at, item] = [0, 0];
  let retry: { at: number; item: number } | undefined;
  while (at < text.length) {
    const wanted = glob[item];
    if (wanted === '*') {
      retry = { at, item };
      item += 1;
    } else if (wanted !== undefined && accepts(wanted, text.charAt(at))) {
      at += 1;
      item += 1;
    } else if (retry !== undefined) {
      // The latest `*` takes one more character; an earlier one never has to.
      retry.at += 1;
      at = retry.at;
      item = retry.item + 1;
    } else {
      return false;
    }
  }
  return glob.slice(item).every((left) => left === '*');
}

function toItem(token: string): '*' | OneOf {
  if (token === '*') return token;
  if (token === '?') return anyOne;
  if (!token.startsWith('[')) return { negated: false, ranges: [[token.at(-1) ?? '', token.at(-1) ?? '']] };
  const negated = token.startsWith('[^');
  const inside = token.slice(negated ? 2 : 1, -1);
  const ranges = [...inside.matchAll(/(\\?.)(?:-(\\?.))?/gsu)].map(
    ([, low = '', high = low]) => [low.at(-1) ?? '', high.at(-1) ?? ''] as const,
  );
  return { negated, ranges };
}

function accepts({ negated, ranges }: OneOf, character: string): boolean {
  return ranges.some(([low, high]) => low <= character && character <= high) !== negated;
}
