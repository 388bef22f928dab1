/** Like JSON.stringify, but accepts bigint values. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}

/**
 * One line of JSON in printable ASCII: safe on a terminal, and for readers that take more than `
 * ` for the end of a line.
 */
export function asciiJson(value: unknown): string {
  return escapeJsonLine(jsonText(value));
}

/**
 * Escapes every character outside of ASCII. Such a character can only stand in a string, where the escape means the
 * same.
 */
export function escapeJsonLine(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
