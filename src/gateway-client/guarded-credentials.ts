import type { TLSSocket } from 'node:tls';
import { ChannelCredentials } from '@grpc/grpc-js';
import { guardServer } from '../tls/guard-server.ts';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Credentials for a server that may be hostile. */
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
        const guard = guardServer(raw);
        const result = await inner.connect(raw);
        // These credentials speak TLS only.
        guard.secured(result.socket as TLSSocket);
        return result;
      },
      waitForReady: () => inner.waitForReady(),
      getCallCredentials: () => inner.getCallCredentials(),
      destroy: () => inner.destroy(),
    };
  }
}
