const maxCompared = 64;

/** The candidate that the writer of `text` probably meant; `undefined` if no candidate is close. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > maxCompared) return undefined;
  let best: string | undefined;
  let least = Math.max(2, Math.floor(text.length / 2)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** ` (nearest valid … is "…")`, or nothing. */
export function nearestHint(text: string, candidates: Iterable<string>, noun: string): string {
  const found = nearest(text, candidates);
  return found === undefined ? '' : ` (nearest valid ${noun} is "${found}")`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
