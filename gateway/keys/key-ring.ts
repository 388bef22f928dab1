import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Lifetime, lifetime } from '../principals/lifetime.ts';

/** What the gateway signs its tokens with, and what it takes for its own signature. */
export interface SigningKeys {
  /** Private. */
  readonly present: () => KeyObject;
  /** Public; what they signed counts now. The present one is first. */
  readonly accepted: () => readonly KeyObject[];
  /** Whether what this one of them signed counts still. */
  readonly accepts: (key: KeyObject) => boolean;
}

/** One present key, and former ones that each count until some time. */
export interface KeyRing extends SigningKeys {
  /** `next` signs from now on. What every key before it signed counts until then (epoch milliseconds), or ends earlier. */
  readonly take: (next: KeyObject, formerUntil: number) => void;
  /** A former key (public) of before this start. */
  readonly remember: (key: KeyObject, until: number) => void;
  readonly formers: () => number;
}

interface Former {
  readonly key: KeyObject;
  readonly until: number;
  readonly life: Lifetime;
}

export function createKeyRing(first: KeyObject): KeyRing {
  let present = first;
  let open = createPublicKey(first);
  let formers: readonly Former[] = [];
  const former = (key: KeyObject, until: number): Former => ({ key, until, life: lifetime(until) });
  const left = () => {
    if (formers.some(({ life }) => life.isOver())) formers = formers.filter(({ life }) => !life.isOver());
    return formers;
  };
  return {
    present: () => present,
    accepted: () => [open, ...left().map(({ key }) => key)],
    accepts: (key) => key === open || left().some((each) => each.key === key),
    take: (next, until) => {
      const before = left().map((each) => (each.until > until ? former(each.key, until) : each));
      formers = [former(open, until), ...before];
      present = next;
      open = createPublicKey(next);
    },
    remember: (key, until) => {
      formers = [...formers, former(key, until)];
    },
    formers: () => left().length,
  };
}
