import type { HttpConfig } from '../../src/config/gateway-config.ts';
import { isLoopback } from '../../src/config/loopback.ts';

/** Where a browser reaches the HTTP door, as an origin; undefined if only `http.url` could say it. */
export function pageUrl({ url, listen: { host }, tls }: HttpConfig, port: number): string | undefined {
  if (url !== undefined) return new URL(url).origin;
  if (tls !== undefined || !isLoopback(host)) return undefined;
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
}
