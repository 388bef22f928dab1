import ipaddr, { type IPv6 } from 'ipaddr.js';

// It has no exports that Node knows by name.
const { IPv4, parse } = ipaddr;

/**
 * `public`: reached from everywhere. `private`: of one network, reserved, or for documentation. `loopback`: this
 * machine. `never`: no address of a server (unspecified, link-local, multicast, broadcast), or one of a cloud's metadata
 * service, which gives credentials to every process that asks it from one of the cloud's machines.
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'never';

const strictness: readonly AddressKind[] = ['public', 'private', 'loopback', 'never'];

/** Where clouds tell their machines who they are, besides link-local addresses. */
const metadata: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:42::42',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const kinds: Readonly<Record<string, AddressKind>> = {
  unicast: 'public',
  loopback: 'loopback',
  unspecified: 'never',
  broadcast: 'never',
  linkLocal: 'never',
  multicast: 'never',
};

const nobody = [0, 0, 0, 0];

/** Of an address as `net.isIP` takes it. An IPv6 address that has an IPv4 address in it is what that one is. */
export function addressKind(text: string): AddressKind {
  const address = parse(text);
  if (metadata.has(address.toString())) return 'never';
  return address instanceof IPv4 ? ofRange(address.range()) : kindOfIPv6(address);
}

/** In one text each: the address itself, and the IPv4 addresses that it has in it. */
export function addressesIn(text: string): string[] {
  const address = parse(text);
  const inside = address instanceof IPv4 ? [] : embedded(address, address.range());
  return [address, ...inside.map((bytes) => new IPv4([...bytes]))].map(String);
}

/** A range that is not listed is of somebody, but not public. */
function ofRange(range: string): AddressKind {
  return kinds[range] ?? 'private';
}

function kindOfIPv6(address: IPv6): AddressKind {
  const range = address.range();
  const inside = embedded(address, range).map((bytes) => addressKind(new IPv4([...bytes]).toString()));
  if (inside.length > 0) return strictest(inside);
  // Nothing else is given to anybody.
  if (range === 'unicast' && !isGlobal(address)) return 'private';
  return ofRange(range);
}

function isGlobal({ parts: [first = 0] }: IPv6): boolean {
  return first >= 0x2000 && first < 0x4000;
}

function strictest(found: readonly AddressKind[]): AddressKind {
  return found.reduce((a, b) => (strictness.indexOf(a) > strictness.indexOf(b) ? a : b));
}

/** The IPv4 addresses to which it may lead. */
function embedded(address: IPv6, range: string): readonly (readonly number[])[] {
  const bytes = address.toByteArray();
  const last = bytes.slice(12);
  switch (range) {
    case '6to4':
      return [bytes.slice(2, 6)];
    case 'teredo':
      // The relay's server, and the client, whose bits are turned over.
      return [bytes.slice(4, 8), last.map((byte) => byte ^ 0xff)];
    case 'rfc6052':
      return isLocal(address) ? [nobody] : [last];
    case 'ipv4Mapped':
    case 'rfc6145':
      return [last];
    default:
      return isCompatible(bytes) || isIsatap(bytes) ? [last] : [];
  }
}

/** 64:ff9b:1::/48 is cut as each network likes: nobody else can tell where the IPv4 address is. */
function isLocal({ parts }: IPv6): boolean {
  return parts[2] !== 0;
}

/** ::a.b.c.d, which nobody uses any more; :: and ::1 have kinds of their own. */
function isCompatible(bytes: readonly number[]): boolean {
  return bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 14).some((byte) => byte !== 0);
}

function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
