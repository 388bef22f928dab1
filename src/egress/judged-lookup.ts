import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { addressKind } from './address-kind.ts';

/** A server leads to an address that may not be reached. */
export class AddressRefused extends Error {}

/** Why nothing is sent to this address; empty if it may be. `mayBePrivate`: gateway.yaml says so. */
export function whyNotAddress(address: string, mayBePrivate: boolean): string {
  const kind = addressKind(address);
  if (kind === 'never') return `${address} is no address of a server`;
  if (kind !== 'public' && !mayBePrivate) return `${address} is not public; private: true allows it`;
  return '';
}

/** Of an address that is written as one: Node looks up names only. Throws an AddressRefused. */
export function judgeWritten(url: string, mayBePrivate: boolean): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const why = isIP(host) === 0 ? '' : whyNotAddress(host, mayBePrivate);
  if (why !== '') throw new AddressRefused(why);
}

/** Looks a name up, and fails if any of its addresses must not be connected to: so it is what is connected to. */
export function judgedLookup(mayBePrivate: boolean): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error !== null || first === undefined)
        return done(error ?? new Error(`${host} has no address`), '', 4);
      const why = firstReason(found, mayBePrivate);
      if (why !== '') return done(new AddressRefused(why), '', 4);
      if (options.all === true) return done(null, found);
      done(null, first.address, first.family);
    });
  };
}

function firstReason(found: readonly LookupAddress[], mayBePrivate: boolean): string {
  return found.map(({ address }) => whyNotAddress(address, mayBePrivate)).find((why) => why !== '') ?? '';
}
