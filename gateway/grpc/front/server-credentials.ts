import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { keyExchanges } from '../../../src/tls/key-exchanges.ts';
import { nameLimits } from './peer-share.ts';

export const windowBytes = 1024 * 1024;

/** A client keeps a call beyond this bound to itself, without a word: one name's own bound has to come first. */
const callersStreams = nameLimits.calls + 16;

/** PEM, all. */
export interface ServerTls {
  /** The authority of accepted client certificates. If absent, clients are not asked for one. */
  readonly clientAuthority?: string;
  /** The whole chain. */
  readonly certificate: string;
  readonly key: string;
  /** Calls at once over one connection; if absent, more than a name may have: what goes ahead always finds room. */
  readonly maxStreams?: number;
}

/** What new connections get; the server may take another one while it listens. */
export function secureContextOf({ clientAuthority, certificate, key }: ServerTls): SecureContextOptions {
  return {
    ...(clientAuthority !== undefined && { ca: clientAuthority }),
    cert: certificate,
    key,
    minVersion: 'TLSv1.3',
    ecdhCurve: keyExchanges,
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

/**
 * What `createSsl` of grpc-js does not offer. No session tickets: a resumed session would be accepted after its
 * certificate's end, without showing it. TLS 1.3 only, and limits for the HTTP/2 sessions.
 */
export class StrictCredentials extends ServerCredentials {
  constructor(tls: ServerTls) {
    const { clientAuthority, maxStreams = callersStreams } = tls;
    super(
      {
        requestCert: clientAuthority !== undefined,
        rejectUnauthorized: true,
        settings: {
          initialWindowSize: windowBytes,
          maxConcurrentStreams: maxStreams,
          maxHeaderListSize: 16_384,
        },
        maxHeaderListPairs: 64,
      },
      secureContextOf(tls),
    );
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
