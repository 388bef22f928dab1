import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ChannelCredentials } from '@grpc/grpc-js';
import { tokenBucket } from '../token-bucket.ts';
import { recordOverhead, recordsPerSecond, TlsRecords } from '../wire/tls-records.ts';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

const lookMs = 200;

/** A server that floods a connection with TLS records that carry next to nothing loses it, as a client of ours would. */
export class GuardedCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials;

  constructor(inner: ChannelCredentials) {
    super();
    this.#inner = inner;
  }

  override _isSecure(): boolean {
    return this.#inner._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    ...args: Parameters<ChannelCredentials['_createSecureConnector']>
  ): Connector {
    const inner = this.#inner._createSecureConnector(...args);
    return {
      connect: async (raw) => {
        const records = guard(raw);
        const result = await inner.connect(raw);
        // These credentials speak TLS only.
        const tls = result.socket as TLSSocket;
        records.secured(tls, () => tls.destroy());
        return result;
      },
      waitForReady: () => inner.waitForReady(),
      getCallCredentials: () => inner.getCallCredentials(),
      destroy: () => inner.destroy(),
    };
  }
}

/** From before its handshake until it closes. */
function guard(raw: Socket): TlsRecords {
  const records = new TlsRecords(raw, 'server');
  const overhead = tokenBucket(recordsPerSecond * recordOverhead);
  const look = setInterval(() => {
    if (records.isHandshakeTooLong() || !overhead.take(records.takeOverhead())) raw.destroy();
  }, lookMs).unref();
  raw.once('close', () => clearInterval(look));
  return records;
}
