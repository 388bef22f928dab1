import { isIP } from 'node:net';

/** Where a connection is to go. */
export interface Endpoint {
  /** In small letters and ASCII, without a dot at its end; or an address in its usual form, IPv6 without brackets. */
  readonly name: string;
  readonly port: number;
}

const longestName = 253;

/** `HOST:PORT`, IPv6 in brackets. `undefined` if nothing can be reached by it. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, host = '', digits = ''] = /^([^:]+|\[[^\]]+\]):([1-9]\d{0,4})$/.exec(text) ?? [];
  const [name, port] = [hostName(host), Number(digits)];
  return name === undefined || port > 65_535 ? undefined : { name, port };
}

/** The one text of a name or address, however it is written: `0x7f.1` is 127.0.0.1, `BÜCHER.example.` an ASCII name. */
export function hostName(text: string): string | undefined {
  if (text.length > 4 * longestName || !/^(?:\[[0-9a-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)$/iu.test(text))
    return undefined;
  if (!URL.canParse(`http://${text}/`)) return undefined;
  const name = new URL(`http://${text}/`).hostname.replace(/^\[|\]$|\.$/g, '');
  return isIP(name) !== 0 || isName(name) ? name : undefined;
}

export function endpointText({ name, port }: Endpoint): string {
  return isIP(name) === 6 ? `[${name}]:${port}` : `${name}:${port}`;
}

function isName(name: string): boolean {
  const labels = name.split('.');
  return (
    name.length <= longestName &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
    // Nothing but an address ends in a number.
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}
