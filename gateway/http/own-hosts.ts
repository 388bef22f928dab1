import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import { isLoopback } from '../../src/config/loopback.ts';

/** The names by which this door may be called: DNS can give our address to any other name. */
export interface OwnHosts {
  readonly has: (host: string) => boolean;
  /** A page of this gateway, as a browser's `Origin` names it. */
  readonly isOrigin: (origin: string) => boolean;
}

export function ownHosts(
  { url, listen, trustProxy }: HttpConfig,
  port: number,
  certificate: (() => X509Certificate) | undefined,
): OwnHosts {
  const scheme = certificate === undefined ? 'http' : 'https';
  const origins = new Set(url === undefined ? [] : [new URL(url).origin]);
  if (trustProxy.length === 0 && isLoopback(listen.host))
    for (const host of ['127.0.0.1', 'localhost', '[::1]', bracketed(listen.host)])
      origins.add(new URL(`${scheme}://${host}:${port}`).origin);
  const isCertified = (origin: URL) =>
    certificate !== undefined &&
    origin.protocol === 'https:' &&
    portOf(origin) === port &&
    isFor(certificate(), origin);
  const isOrigin = (text: string) => {
    const origin = originOf(text);
    return origin !== undefined && (origins.has(origin.origin) || isCertified(origin));
  };
  return {
    isOrigin,
    has: (host) => isOrigin(`https://${host}`) || isOrigin(`http://${host}`),
  };
}

/** Undefined if it is anything but scheme, host and port, or is written as no browser writes it (`127.1`). */
function originOf(text: string): URL | undefined {
  if (!/^https?:\/\/[A-Za-z0-9.:[\]-]+$/.test(text) || !URL.canParse(text)) return undefined;
  const origin = new URL(text);
  const written = text.toLowerCase();
  return written === origin.origin || written === `${origin.origin}:${portOf(origin)}` ? origin : undefined;
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function isFor(certificate: X509Certificate, { hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(address) === 0 ? certificate.checkHost(address) : certificate.checkIP(address);
  return found !== undefined;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
