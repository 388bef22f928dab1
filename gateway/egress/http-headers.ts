/** Headers as they stand in a message: a name, its value, the next name. */
export type RawHeaders = readonly string[];

/** Of one connection, and not of what goes on from it. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Those that go on: without what is of this connection, by the list of all or by its own `Connection`. */
export function withoutHopByHop(raw: RawHeaders): string[] {
  const listed = pairs(raw)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  const dropped = new Set(listed);
  return withoutHeaders(raw, (name) => hopByHop.has(name) || (dropped.has(name) && !framing.has(name)));
}

/** What says how long a body is never goes because somebody lists it. */
const framing: ReadonlySet<string> = new Set(['content-length', 'host']);

/** Some servers take `x_api_key` or `x.api.key` for `X-Api-Key`. */
export function spelling(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-');
}

/** By how their names begin. */
const standIns =
  /^(x-http-(method|host|path)|http-method|x-method|x-script-name|x-host|x-forwarded|forwarded|x-(invoke|matched)-path)(-|$)/;
/** Whatever else is in the name: what another program made of the request before. */
const madeOfIt = /(^|-)(original|override|rewrite|rewritten|unencoded)(-|$)/;

/** Some servers, and proxies before them, take the method, the path or the host from one of these. */
export function standsIn(name: string): boolean {
  const meant = spelling(name);
  return standIns.test(meant) || madeOfIt.test(meant);
}

/** Whether it is not a header of one connection or of a message's length, but some server takes it for one. */
export function isDisguised(name: string): boolean {
  const meant = spelling(name);
  return meant !== name.toLowerCase() && (hopByHop.has(meant) || framing.has(meant));
}

/** `drops` gets the name in small letters. */
export function withoutHeaders(raw: RawHeaders, drops: (name: string, value: string) => boolean): string[] {
  return pairs(raw).flatMap(([name, value]) => (drops(name.toLowerCase(), value) ? [] : [name, value]));
}

export function headerBytes(raw: RawHeaders): number {
  return raw.reduce((sum, text) => sum + text.length + 2, 0);
}

function pairs(raw: RawHeaders): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? '']);
}
