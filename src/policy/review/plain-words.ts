import type { Glob } from '../rules/glob.ts';

/** The alternatives of an item that are words without a star; none of an item that may be anything. */
export function plainWordsOf(item: Glob | '**' = '**'): readonly string[] {
  if (item === '**') return [];
  return item.flatMap((pieces) => (pieces.length === 1 ? pieces : []));
}
