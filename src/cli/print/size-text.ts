const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Rounded, for a table: `1.4 GiB`. */
export function sizeText(bytes: bigint | number): string {
  let [value, unit] = [Number(bytes), 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
