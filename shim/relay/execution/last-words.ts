import type { Readable } from 'node:stream';
import { DockerDemux } from '../../../src/init-client/docker-demux.ts';

const mostBytes = 2048;

/** What a program in a container wrote before it ended, as text; its beginning. Never rejects. */
export async function lastWords(stream: Readable): Promise<string> {
  const demux = new DockerDemux();
  let text = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>)
      for (const { bytes } of demux.push(chunk))
        text += bytes.toString('latin1', 0, Math.max(0, mostBytes - text.length));
  } catch {
    // The engine is gone, and the program with it.
  }
  return text.trim();
}
