import type { PeerCertificate } from 'node:tls';

/** DER of the certificate that this connection's client proved to hold. */
export function peerCertificate(call: {
  getAuthContext(): { readonly sslPeerCertificate?: PeerCertificate };
}): Buffer | undefined {
  return call.getAuthContext().sslPeerCertificate?.raw;
}
