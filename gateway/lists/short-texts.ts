import { firstBytes } from '../../src/text/first-bytes.ts';

/** Long enough for every name and text of an honest peer. */
const textBytes = 1024;
const mostTexts = 100;

/** Cuts each string that is too long, and marks the cut. */
export function withShortTexts<T extends object>(record: T): T {
  const entries = Object.entries(record).map(([key, value]) => [
    key,
    typeof value === 'string' ? shortText(value) : (value as unknown),
  ]);
  return Object.fromEntries(entries) as T;
}

export function shortText(text: string): string {
  const bytes = Buffer.byteLength(text);
  return bytes <= textBytes ? text : `${firstBytes(text, textBytes)} ... (${bytes} bytes)`;
}

/** The first items, and how many more there are. */
export function shortTexts(texts: readonly string[]): string[] {
  const more = texts.length - mostTexts;
  return [...texts.slice(0, mostTexts).map(shortText), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** RFC 3339; empty if not reached. */
export function toTime(epochMs: number | undefined): string {
  return epochMs === undefined ? '' : new Date(epochMs).toISOString();
}
