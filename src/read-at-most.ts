/** All bytes of a stream; throws what `tooMany` says, and ends the stream, if there are more than so many. */
export async function readAtMost(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
  tooMany: () => Error,
): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) throw tooMany();
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}
