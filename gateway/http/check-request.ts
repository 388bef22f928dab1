import type { IncomingMessage } from 'node:http';
import { followsLink } from './browser/dashboard-pages.ts';
import type { OwnHosts } from './own-hosts.ts';
import { HttpRefused } from './problem.ts';

/** Node keeps the first of two and forgets the other; a proxy before us may have read that one. */
const onceOnly: ReadonlySet<string> = new Set([
  ...[
    'host',
    'authorization',
    'content-type',
    'content-length',
    'transfer-encoding',
    'origin',
    'accept',
    'prefer',
    'expect',
    'content-encoding',
  ],
  ...['last-event-id', 'x-forwarded-host', 'x-forwarded-proto'],
]);

/** There is one spelling of each path: nothing in ours needs an escape, and nobody may resolve dots. */
const onePath = /^(?:\/|(?:\/[A-Za-z0-9_~+-][A-Za-z0-9._~+-]*)+)$/;

/** What every request is held to, before it is known who makes it. Throws HttpRefused. */
export function checkRequest(request: IncomingMessage, hosts: OwnHosts, isBehindProxy: boolean): void {
  checkVersion(request);
  const twice = repeated(request.rawHeaders);
  if (twice !== undefined) throw new HttpRefused(400, `the header ${twice} is there twice`);
  const { url = '' } = request;
  const [path = ''] = url.split('?', 1);
  if (!onePath.test(path)) throw new HttpRefused(400, 'the path has an escape, an empty part or dots');
  if (!isEscaped(url.slice(path.length))) throw new HttpRefused(400, 'the query is not UTF-8 in escapes');
  checkHost(request, hosts, isBehindProxy);
  checkOrigin(request, hosts);
  if (!takesExpectation(request)) throw new HttpRefused(417, 'only 100-continue can be expected');
  if (hasBody(request) && (request.method === 'GET' || request.method === 'DELETE'))
    throw new HttpRefused(400, `${request.method} takes no body`);
}

/** A byte above ASCII would be read as a letter of Latin 1. */
function isEscaped(query: string): boolean {
  if (/[^!-~]/.test(query)) return false;
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

function checkVersion({ httpVersion, headers }: IncomingMessage): void {
  const isOld = httpVersion === '1.0';
  if (httpVersion !== '1.1' && !isOld) throw new HttpRefused(400, `HTTP/${httpVersion} is not spoken here`);
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return;
  if (isOld) throw new HttpRefused(400, 'HTTP/1.0 has no Transfer-Encoding');
  // Node takes any list that ends with it, and hands out the bytes as they are.
  if (coding.toLowerCase() !== 'chunked')
    throw new HttpRefused(400, 'of all transfer codings only chunked is taken');
}

/** Who expects to be asked for its body. */
export function expectsToBeAsked({ headers: { expect } }: IncomingMessage): boolean {
  return expect?.toLowerCase() === '100-continue';
}

function takesExpectation(request: IncomingMessage): boolean {
  return request.headers.expect === undefined || expectsToBeAsked(request);
}

function repeated(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (onceOnly.has(name) && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** As the browser or program named it. */
export function hostOf({ headers }: IncomingMessage, isBehindProxy: boolean): string | undefined {
  return (isBehindProxy ? one(headers['x-forwarded-host']) : undefined) ?? headers.host;
}

function checkHost(request: IncomingMessage, hosts: OwnHosts, isBehindProxy: boolean): void {
  const { headers } = request;
  const host = hostOf(request, isBehindProxy);
  if (headers.host === undefined || host === undefined) throw new HttpRefused(400, 'there is no Host');
  if (!hosts.has(host))
    throw new HttpRefused(421, 'this gateway is not served under that host; see http.url in gateway.yaml');
  const isPlain = isBehindProxy && saysPlain(one(headers['x-forwarded-proto']));
  if (isPlain && !hosts.isOrigin(`http://${host}`))
    throw new HttpRefused(403, 'the proxy was called in plain text');
}

/** Proxies add to what they were sent, at either end: one step in plain text is enough. */
function saysPlain(protocols: string | undefined): boolean {
  return (
    protocols !== undefined && protocols.split(',').some((each) => each.trim().toLowerCase() !== 'https')
  );
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** A browser tells which page made it send this; other programs say nothing. */
function checkOrigin(request: IncomingMessage, hosts: OwnHosts): void {
  const { headers } = request;
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if ((origin !== undefined && !hosts.isOrigin(origin)) || (isForeign && !followsLink(request)))
    throw new HttpRefused(403, 'a page of another site asks for this');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
