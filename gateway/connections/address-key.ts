import { isIPv6, type Socket } from 'node:net';

/** The key under which addresses of one peer are counted: a peer with one IPv6 address has its whole /64. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.replace(/%.*$/, '').toLowerCase().split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(8 - groups(head).length - groups(tail).length, 0) }, () => '0');
  return [...groups(head), ...zeros, ...groups(tail)].slice(0, 4).join(':');
}

/** Both ends, because a remote port may be in use twice, towards two of our addresses. */
export function connectionKey({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress}:${localPort} ${remoteAddress}:${remotePort}`;
}
