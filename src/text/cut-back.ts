/** `at`, or up to three bytes before it, so that no character of UTF-8 is cut. */
export function cutBack(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  for (let back = 0; back < 4 && at - back > 0; back += 1)
    if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  return at;
}
