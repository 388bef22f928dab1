/** One event of `text/event-stream`; without data it only says how far its reader is. */
export interface EventLine {
  /** The last that was told, in this event or before. */
  readonly id: string;
  readonly data: string;
}

/**
 * Events as they come. What was begun and not ended when the stream ends is no event. A reader that stops closes the
 * connection.
 */
export async function* eventLines({ body }: Response): AsyncGenerator<EventLine, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    yield* linesOf(reader);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* linesOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<EventLine, void> {
  const decoder = new TextDecoder();
  let [left, id, data] = ['', '', [] as string[]];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (left + decoder.decode(value, { stream: true })).split('\n');
    left = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (id !== '' || data.length > 0) yield { id, data: data.join('\n') };
        data = [];
      } else if (line.startsWith('id: ')) id = line.slice(4);
      else if (line.startsWith('data: ')) data.push(line.slice(6));
    }
  }
}
