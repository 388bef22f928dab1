/**
 * A part of a recording is a row of entries: u32 milliseconds, u32 length and kind, and its bytes; numbers are
 * little-endian. No entry goes over the end of a part.
 */
export type RecordingEntry =
  | { readonly ms: number; readonly fd: 1 | 2; readonly bytes: Uint8Array }
  | { readonly ms: number; readonly dropped: number };

export const entryHead = 8;
const gapKind = 0;
const longestMs = 2 ** 32 - 1;

export function writeHead(part: Buffer, at: number, ms: number, kind: 0 | 1 | 2, length: number): void {
  part.writeUInt32LE(Math.min(Math.max(0, Math.round(ms)), longestMs), at);
  part.writeUInt32LE(length * 4 + kind, at + 4);
}

/** Says how many bytes are left out here. */
export function gapPart(ms: number, dropped: number): Buffer {
  const part = Buffer.alloc(entryHead + 8);
  writeHead(part, 0, ms, gapKind, 8);
  part.writeBigUInt64LE(BigInt(dropped), entryHead);
  return part;
}

export function* entriesOf(part: Uint8Array): Generator<RecordingEntry, void> {
  const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  for (let at = 0; at + entryHead <= buffer.length; ) {
    const ms = buffer.readUInt32LE(at);
    const [length, kind] = split(buffer.readUInt32LE(at + 4));
    const bytes = buffer.subarray(at + entryHead, at + entryHead + length);
    if (kind === gapKind) yield { ms, dropped: Number(bytes.readBigUInt64LE()) };
    else yield { ms, fd: kind === 1 ? 1 : 2, bytes };
    at += entryHead + length;
  }
}

function split(word: number): [length: number, kind: number] {
  return [Math.floor(word / 4), word % 4];
}
