import type { HttpConfig, ServerFiles } from './gateway-config.ts';
import type { GatewayFile } from './gateway-schema.ts';
import { isLoopback } from './loopback.ts';

type HttpFile = GatewayFile['http'];

/** The door must not be open to other machines in plain text: what makes it so, and at which key. */
export function wrongHttp(http: HttpFile): { key: keyof HttpFile; what: string } | undefined {
  const { listen, 'metrics-listen': metrics, url, tls, 'trust-proxy': proxies } = http;
  if (metrics !== undefined && !isLoopback(metrics.host))
    return {
      key: 'metrics-listen',
      what: 'is open to other machines, and asks for no token: listen on 127.0.0.1',
    };
  const isPlain = url?.startsWith('http:') === true;
  if (tls !== undefined && isPlain) return { key: 'url', what: 'must be https, because http.tls is given' };
  if (proxies !== undefined && url === undefined)
    return { key: 'trust-proxy', what: 'needs http.url: where people and programs reach the proxy' };
  if (isLoopback(listen.host) || tls !== undefined || (proxies !== undefined && !isPlain)) return undefined;
  const ways = 'http.tls, or http.trust-proxy with an https http.url';
  return { key: 'listen', what: `is open to other machines: give ${ways}, or listen on 127.0.0.1` };
}

export function toHttp(
  { listen, 'metrics-listen': metricsListen, url, tls, 'trust-proxy': proxies }: HttpFile,
  inFolder: (path: string) => string,
): HttpConfig {
  return {
    listen,
    ...(metricsListen && { metricsListen }),
    ...(url !== undefined && { url }),
    ...toServerTls(tls, inFolder),
    trustProxy: proxies ?? [],
  };
}

export function toServerTls(
  tls: ServerFiles | undefined,
  inFolder: (path: string) => string,
): { readonly tls?: ServerFiles } {
  return tls === undefined ? {} : { tls: { cert: inFolder(tls.cert), key: inFolder(tls.key) } };
}
