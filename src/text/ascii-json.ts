/** As JSON.stringify, for what has bigint in it, too. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}

/** One line of JSON in ASCII, whatever is in it: as safe on a terminal as for whoever takes more than `\n` for a line's end. */
export function asciiJson(value: unknown): string {
  return escapeJsonLine(jsonText(value));
}

/** The same JSON in ASCII: what is outside of it can only stand in a string, and there an escape says the same. */
export function escapeJsonLine(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
