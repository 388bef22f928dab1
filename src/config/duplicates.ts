/** The positions of items that appeared earlier in the list. */
export function duplicates(names: readonly string[]): number[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const isSecond = seen.has(name);
    seen.add(name);
    return isSecond ? [index] : [];
  });
}
