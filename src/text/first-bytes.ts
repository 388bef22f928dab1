/** The beginning of `text`, at most so many bytes in UTF-8. Never splits a character. */
export function firstBytes(text: string, most: number): string {
  if (text.length <= most && Buffer.byteLength(text) <= most) return text;
  const bytes = Buffer.from(text.slice(0, most));
  let end = Math.min(most, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
