import { constants } from 'node:crypto';
import { ServerCredentials } from '@grpc/grpc-js';

export const windowBytes = 1024 * 1024;

/** PEM, all. */
export interface ServerTls {
  /** The authority of accepted client certificates. If absent, clients are not asked for one. */
  readonly clientAuthority?: string;
  /** The whole chain. */
  readonly certificate: string;
  readonly key: string;
  /** Calls at once over one connection; 1000 if absent. */
  readonly maxStreams?: number;
}

/**
 * What `createSsl` of grpc-js does not offer. No session tickets: a resumed session would be accepted after its
 * certificate's end, without showing it. TLS 1.3 only, and limits for the HTTP/2 sessions.
 */
export class StrictCredentials extends ServerCredentials {
  constructor({ clientAuthority, certificate, key, maxStreams = 1000 }: ServerTls) {
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
      {
        ...(clientAuthority !== undefined && { ca: clientAuthority }),
        cert: certificate,
        key,
        minVersion: 'TLSv1.3',
        secureOptions: constants.SSL_OP_NO_TICKET,
      },
    );
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
