const longestHead = 8;
const mostGroups = 8;

/**
 * Finds all texts that contain one of these pieces, and some others. Takes time in proportion to the text, however many
 * pieces there are: few groups, each with one class of letters for each of its first places. Absent if nothing is looked
 * for.
 */
export function insideOf(pieces: readonly string[]): RegExp | undefined {
  const heads = [...new Set(pieces.map((piece) => piece.slice(0, longestHead)))].sort();
  if (heads.length === 0) return undefined;
  const size = Math.ceil(heads.length / mostGroups);
  const groups = heads.flatMap((_, at) => (at % size === 0 ? [heads.slice(at, at + size)] : []));
  return new RegExp(groups.map(classesOf).join('|'));
}

/** As long as the shortest of them. */
function classesOf(heads: readonly string[]): string {
  const length = Math.min(...heads.map((head) => head.length));
  return Array.from({ length }, (_, at) => classOf(heads.map((head) => head.charCodeAt(at)))).join('');
}

function classOf(codes: readonly number[]): string {
  const letters = [...new Set(codes)].map((code) => `\\u${code.toString(16).padStart(4, '0')}`);
  return `[${letters.join('')}]`;
}
