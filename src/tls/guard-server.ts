import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { tokenBucket } from '../token-bucket.ts';
import { recordOverhead, recordsPerSecond, TlsRecords } from './tls-records.ts';

const lookMs = 200;

export interface ServerGuard {
  /** The handshake is complete. */
  readonly secured: (tls: TLSSocket) => void;
}

/**
 * A server that floods a connection with TLS records that carry next to nothing loses it, as a client of ours would.
 * From before the handshake over `raw` until it closes.
 */
export function guardServer(raw: Socket): ServerGuard {
  const records = new TlsRecords(raw, 'server');
  const overhead = tokenBucket(recordsPerSecond * recordOverhead);
  const look = setInterval(() => {
    const bytes = records.takeOverhead();
    // What brings nothing pays for nobody else's turn.
    if (records.isHandshakeTooLong() || (bytes > 0 && !overhead.take(bytes))) raw.destroy();
  }, lookMs).unref();
  raw.once('close', () => clearInterval(look));
  return { secured: (tls) => records.secured(tls, () => tls.destroy()) };
}
