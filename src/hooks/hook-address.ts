import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const nobody = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  nobody.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  nobody.addSubnet(network, prefix, 'ipv6');

const inside = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
] as const)
  inside.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  // Addresses that have an IPv4 address in them, which may be any.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
] as const)
  inside.addSubnet(network, prefix, 'ipv6');

/** Why nothing is sent to this address; empty if it may be. `mayBePrivate`: gateway.yaml says so of this hook. */
export function whyNotAddress(address: string, mayBePrivate: boolean): string {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (nobody.check(address, family)) return `${address} is no address of a receiver`;
  if (!mayBePrivate && inside.check(address, family))
    return `${address} is not public; private: true allows it`;
  return '';
}

/** Looks a name up, and fails if any of its addresses must not be connected to: so it is what is connected to. */
export function guardedLookup(mayBePrivate: boolean): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error !== null || first === undefined)
        return done(error ?? new Error(`${host} has no address`), '', 4);
      const why = firstReason(found, mayBePrivate);
      if (why !== '') return done(new Error(why), '', 4);
      if (options.all === true) return done(null, found);
      done(null, first.address, first.family);
    });
  };
}

function firstReason(found: readonly LookupAddress[], mayBePrivate: boolean): string {
  return found.map(({ address }) => whyNotAddress(address, mayBePrivate)).find((why) => why !== '') ?? '';
}
