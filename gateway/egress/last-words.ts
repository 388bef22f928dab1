import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const lingerMs = 2000;

/**
 * Sends the last bytes, and reads for a moment what the client still sends: a connection that is ended with bytes unread
 * is reset, and the client never reads why.
 */
export async function lastWords(
  client: Duplex,
  bytes: string | Buffer,
  unread: { resume: () => unknown },
): Promise<void> {
  if (client.destroyed) return;
  const over = new AbortController();
  client.once('close', () => over.abort());
  client.on('error', () => {});
  if (!client.writableEnded) client.end(bytes);
  unread.resume();
  await sleep(lingerMs, undefined, { signal: over.signal }).catch(() => {});
}
