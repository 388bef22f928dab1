const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Rounded, for a table: `1.4 GiB`. */
export function sizeText(bytes: bigint | number): string {
  let [value, unit] = [Number(bytes), 0];
  // What is rounded to 1024 is one of the next unit.
  while (Math.round(value) >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** In the largest unit that gives a whole number. */
export function exactSize(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value % 1024 === 0 && value > 0 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value} ${units[unit]}`;
}
