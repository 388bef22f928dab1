import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type TokenBucket, tokenBucket } from '../token-bucket.ts';
import { newExcess } from './new-excess.ts';

/** What a record of TLS 1.3 has beside its content: header, type and tag. A key update has more. */
export const recordOverhead = 22;
/** Beyond what content needs; twice as many at once. */
export const recordsPerSecond = 20_000;

/**
 * Of a peer whose handshake is not over. That takes a few kilobytes, but a peer may send its first frames and a window
 * of content behind it before we have read all.
 */
const handshakeBytes = 256 * 1024;

/**
 * Of key updates, other handshakes, and session tickets to a client. Our clients never update their keys, others do after gigabytes;
 * a server has some tickets at once.
 */
const newKeysPerSecond = 1;
const newKeysAtOnce = 20;

/** Records of ordinary size have less overhead than this part of their content. */
const freePart = 1 / 64;

/**
 * What the TLS records of one connection bring beside content. OpenSSL reads them without a word to us, and a record
 * costs it about as much whether it carries 16 KiB or nothing; a key update costs ten times as much.
 */
export class TlsRecords {
  readonly #raw: Socket;
  readonly #keyLine: string;
  #tls: TLSSocket | undefined;
  readonly #newExcess = newExcess();

  /** `peer` is the other side. */
  constructor(raw: Socket, peer: 'client' | 'server') {
    this.#raw = raw;
    this.#keyLine = `${peer.toUpperCase()}_TRAFFIC_SECRET_N`;
  }

  /**
   * Calls `onFlood` in a later turn if there are too many new keys; nothing more comes in from then on. `atOnce` is called
   * before, while OpenSSL is at work on this connection: in the same turn others may be read.
   */
  secured(tls: TLSSocket, onFlood: () => void, atOnce: () => void = () => {}): void {
    this.#tls = tls;
    const newKeys = tokenBucket(newKeysPerSecond, undefined, newKeysAtOnce);
    const tickets = tokenBucket(newKeysPerSecond, undefined, newKeysAtOnce);
    const count = (of: TokenBucket) => {
      if (this.#raw.destroyed || of.take(1)) return;
      // OpenSSL is at work on the TLS socket: only the one below it can be ended now.
      this.#raw.destroy();
      atOnce();
      setImmediate(onFlood);
    };
    // Only this event tells of a key update, and of another handshake of TLS 1.2. It brings the key, which nobody keeps.
    tls.on('keylog', (line: Buffer) => {
      const label = line.toString('latin1', 0, 24);
      if (label.startsWith(this.#keyLine) || label.startsWith('CLIENT_RANDOM ')) count(newKeys);
    });
    // A ticket: a record has place for a thousand.
    tls.on('session', () => count(tickets));
  }

  isHandshakeTooLong(): boolean {
    return this.#tls === undefined && this.#raw.bytesRead > handshakeBytes;
  }

  /** Bytes that were read since the last call and carried nothing. */
  takeOverhead(): number {
    if (this.#tls === undefined) return 0;
    return this.#newExcess(this.#raw.bytesRead - this.#tls.bytesRead * (1 + freePart));
  }
}
