import { X509Certificate } from 'node:crypto';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { fingerprint } from '../pki/fingerprint.ts';

const timeoutMs = 10_000;
const shut = new Error(
  'the gateway closed the connection: it enrols only while a token is out, and this one counts no more',
);

/**
 * Fetches the certificate (PEM) with the fingerprint that is among `pins` from the chain of the server at `host`:`port`. Sends the
 * server nothing. Rejects if the server shows no such certificate: it is then not the server that the token is for.
 */
export function fetchAuthority(host: string, port: number, pins: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    // Unverified on purpose: the code fetches the chain and compares it with the pin. Later connections with the
    // result verify everything.
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    });
    socket.on('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ECONNRESET' ? shut : error));
    // From the start: a socket's own timeout begins anew with each byte.
    const late = new Error(`no answer within ${timeoutMs / 1000} s`);
    const timer = setTimeout(() => socket.destroy(late), timeoutMs);
    socket.on('close', () => clearTimeout(timer));
    socket.on('secureConnect', () => {
      const found = findPinned(socket.getPeerCertificate(true), pins);
      socket.destroy();
      if (found !== undefined) resolve(found);
      else reject(new Error('the server is not the gateway that the token was made by'));
    });
  });
}

function findPinned(leaf: DetailedPeerCertificate, pins: readonly string[]): string | undefined {
  for (let each = leaf; ; each = each.issuerCertificate) {
    if (each.raw === undefined) return undefined;
    if (pins.includes(fingerprint(each.raw))) return new X509Certificate(each.raw).toString();
    if (each.issuerCertificate === undefined || each.issuerCertificate === each) return undefined;
  }
}
