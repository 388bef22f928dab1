import { addressKind } from '../../src/egress/address-kind.ts';
import { resolveName } from '../../src/egress/resolve-name.ts';

/** What a policy's `allow` says for a registry; one of the company's own may have an address that is not public. */
export async function destinationOf(registry: string): Promise<string> {
  const { hostname } = new URL(registry);
  const to = endpointOf(registry);
  const addresses = await resolveName(hostname, AbortSignal.timeout(30_000));
  const isPublic = addresses.every((address) => addressKind(address) === 'public');
  return isPublic ? JSON.stringify(to) : `{ to: ${JSON.stringify(to)}, private: true }`;
}

/** NAME:PORT of a URL. */
export function endpointOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
}
