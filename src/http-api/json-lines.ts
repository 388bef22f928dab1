/** The lines of a stream of JSON, as they come. Throws if it ends in the middle of one. */
export async function* jsonLines(response: Response): AsyncGenerator<unknown, void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    const lines = (left + value).split('\n');
    left = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as unknown;
    if (!done) continue;
    if (left !== '') throw new Error('the stream ended in the middle of a line');
    return;
  }
}
