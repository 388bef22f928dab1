/** The places of those that were there before. */
export function duplicates(names: readonly string[]): number[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const isSecond = seen.has(name);
    seen.add(name);
    return isSecond ? [index] : [];
  });
}
