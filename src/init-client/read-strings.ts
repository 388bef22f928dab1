/** Strings as a plan writes them: `u32 length, bytes, NUL`. Leaves out a string that is cut off at the end. */
export function readStrings(payload: Buffer): readonly string[] {
  const strings: string[] = [];
  for (let at = 0; at + 4 < payload.length; ) {
    const end = at + 4 + payload.readUInt32BE(at);
    if (end >= payload.length) break;
    strings.push(payload.toString('utf8', at + 4, end));
    at = end + 1;
  }
  return strings;
}
