import { X509Certificate } from 'node:crypto';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { fingerprint } from '../pki/fingerprint.ts';

const timeoutMs = 10_000;
const shut = new Error(
  'the gateway closed the connection: it enrols only while a token is out, and this one was used or has expired',
);

/**
 * The certificate, PEM, in the chain of the server at `host`:`port` whose fingerprint is `pin`. Says nothing to the
 * server. Rejects where it shows no such certificate: it is not the one the token is for.
 */
export function fetchAuthority(host: string, port: number, pin: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Unverified on purpose: the chain is what is fetched, and the pin is what it is held against. Whoever connects
    // with the result verifies in full.
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
      timeout: timeoutMs,
    });
    socket.on('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ECONNRESET' ? shut : error));
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    socket.on('secureConnect', () => {
      const found = findPinned(socket.getPeerCertificate(true), pin);
      socket.destroy();
      if (found !== undefined) resolve(found);
      else reject(new Error('the server is not the gateway that the token was made by'));
    });
  });
}

function findPinned(leaf: DetailedPeerCertificate, pin: string): string | undefined {
  for (let each = leaf; ; each = each.issuerCertificate) {
    if (each.raw === undefined) return undefined;
    if (fingerprint(each.raw) === pin) return new X509Certificate(each.raw).toString();
    if (each.issuerCertificate === undefined || each.issuerCertificate === each) return undefined;
  }
}
