import { isIPv6, type Socket } from 'node:net';

/**
 * The key under which addresses of one peer are counted: a peer with one IPv6 address has its whole /64. One that stands
 * for an IPv4 address, `::ffff:…` and that of a NAT64, is that one.
 */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const isFour = isIn(groups, [0, 0, 0, 0, 0, 0xffff]) || isIn(groups, [0x64, 0xff9b, 0, 0, 0, 0]);
  if (!isFour)
    return groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':');
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** All eight. */
function groupsOf(address: string): readonly number[] {
  const [head = [], tail] = address.replace(/%.*$/, '').split('::').map(parts);
  if (tail === undefined) return head;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

/** The last one may be four bytes in decimals. */
function parts(text: string): number[] {
  const groups = text.split(':').filter((group) => group !== '');
  return groups.flatMap((group) => {
    const bytes = group.split('.').map(Number);
    const [a = 0, b = 0, c = 0, d = 0] = bytes;
    return bytes.length === 4 ? [a * 256 + b, c * 256 + d] : [Number.parseInt(group, 16)];
  });
}

function isIn(groups: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((group, at) => groups[at] === group);
}

/** Both ends, because a remote port may be in use twice, towards two of our addresses. */
export function connectionKey({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress}:${localPort} ${remoteAddress}:${remotePort}`;
}
