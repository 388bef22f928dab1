const milliseconds: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

const bytes: ReadonlyMap<string, number> = new Map([
  ['k', 1024],
  ['m', 1024 ** 2],
  ['g', 1024 ** 3],
  ['t', 1024 ** 4],
]);

/**
 * `300ms`, `30s`, `5m`, `1h30m`, `1.5h` in whole milliseconds; `undefined` if the text is not one of these, or not
 * more than 0.
 */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,3})?)(ms|[smhd])/g)];
  if (parts.map(([part]) => part).join('') !== text) return undefined;
  const total = parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (milliseconds.get(unit) ?? 0),
    0,
  );
  return total >= 1 ? Math.round(total) : undefined;
}

/** `512m`, `2g` and the like in bytes, as powers of 1024 like Docker; `undefined` if the text is not a size. */
export function parseSize(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([kmgt])b?$/.exec(text.toLowerCase()) ?? [];
  const total = Math.floor(Number(count) * (bytes.get(unit) ?? 0));
  return total >= 1 ? total : undefined;
}
