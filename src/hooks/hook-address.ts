import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressKind } from '../egress/address-kind.ts';

/** Why nothing is sent to this address; empty if it may be. `mayBePrivate`: gateway.yaml says so of this hook. */
export function whyNotAddress(address: string, mayBePrivate: boolean): string {
  const kind = addressKind(address);
  if (kind === 'never') return `${address} is no address of a receiver`;
  if (kind !== 'public' && !mayBePrivate) return `${address} is not public; private: true allows it`;
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
