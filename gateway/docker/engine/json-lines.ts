const maxLineBytes = 1024 * 1024;

/** The JSON values of a stream, each ended by a newline. Throws if a line is over 1 MiB. */
export async function* jsonLines(stream: AsyncIterable<Buffer>): AsyncGenerator {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineBytes) throw new Error('a line is longer than 1 MiB');
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
}
