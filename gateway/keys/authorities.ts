import { X509Certificate } from 'node:crypto';
import { createListeners } from '../../src/listeners.ts';
import type { Credentials } from '../../src/pki/authority.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { trustPrint } from '../../src/pki/trust-print.ts';
import { type Lifetime, lifetime } from '../principals/lifetime.ts';

/** Who signs certificates, and whose certificates count. */
export interface Authorities {
  /** Signs. */
  readonly present: () => Credentials;
  /** PEM: whose certificates count now, and whom relays and people have to trust. */
  readonly trusted: () => string;
  /** `trustPrint` of that. */
  readonly print: () => string;
  /** PEM, for who enrols by a token with these fingerprints: nothing is taken there without one of them. */
  readonly trustedBy: (pins: readonly string[]) => string;
  /** Of our doors: the whole chain, and its key. */
  readonly server: () => Credentials;
  /** Fingerprints of authorities that our doors show: the one of now, and the one of later if that is another. */
  readonly pins: () => readonly [string, ...string[]];
  /** Whether an authority with one of these fingerprints counts now. */
  readonly counts: (pins: readonly string[]) => boolean;
  /** As long as the authority counts that signed it. */
  readonly signed: (certificate: X509Certificate) => Signed;
  /** Calls `listener` whenever any of this has changed. */
  readonly watch: (listener: () => void) => void;
}

export interface Signed {
  readonly life: Lifetime;
  /** By the one that signs now. */
  readonly isPresent: boolean;
}

/** An authority with the certificate of our doors. */
export interface AuthorityPair {
  readonly authority: Credentials;
  /** `certificate` is the whole chain. */
  readonly server: Credentials;
}

export interface RotatedAuthorities extends Authorities {
  /**
   * The present one still counts until then (epoch milliseconds). `former`: PEM, in its place for those who have to
   * trust it; if absent, its own certificate.
   */
  readonly follow: (
    next: AuthorityPair & { readonly formerUntil: number; readonly former?: string | undefined },
  ) => void;
  /** When the former one stops; undefined if there is none. */
  readonly formerUntil: () => number | undefined;
  /** Lets go of the former one once its time is over; whether it did. */
  readonly letGo: () => boolean;
}

/** One authority: its certificates end when its own life does, which a rotation states later. */
interface Issuer extends AuthorityPair {
  life: Lifetime;
}

const [endless, over] = [lifetime(undefined), lifetime(0)];

export function createAuthorities(first: AuthorityPair): RotatedAuthorities {
  let present: Issuer = { ...first, life: endless };
  let former: (Issuer & { readonly until: number; readonly ending: string }) | undefined;
  const { watch, tell: changed } = createListeners();
  const trusted = () => (former?.ending ?? '') + present.authority.certificate;
  return {
    present: () => present.authority,
    trusted,
    print: () => trustPrint(trusted()),
    trustedBy: (pins) => {
      const { certificate } = present.authority;
      if (former === undefined || pins.includes(fingerprintOfPem(certificate))) return trusted();
      const own = former.authority.certificate;
      // Who enrols looks for it, and keeps the one that ends in its place.
      return former.ending === own ? trusted() : own + trusted();
    },
    // Those who have not moved trust the former one alone.
    server: () => (former ?? present).server,
    pins: () => {
      const own = fingerprintOfPem(present.authority.certificate);
      return former === undefined ? [own] : [fingerprintOfPem(former.authority.certificate), own];
    },
    counts: (pins) =>
      [present, former].some(
        (each) =>
          each?.life.isOver() === false && pins.includes(fingerprintOfPem(each.authority.certificate)),
      ),
    signed: (certificate) => {
      const issuer = [present, former].find((each) => each !== undefined && isSignedBy(certificate, each));
      if (issuer === undefined) return { life: over, isPresent: false };
      const life: Lifetime = {
        isOver: () => issuer.life.isOver(),
        hasRunOut: () => issuer.life.hasRunOut(),
      };
      return { life, isPresent: issuer === present };
    },
    watch,
    follow: ({ authority, server, formerUntil: until, former: ending = present.authority.certificate }) => {
      present.life = lifetime(until);
      former = Object.assign(present, { until, ending });
      present = { authority, server, life: endless };
      changed();
    },
    formerUntil: () => former?.until,
    letGo: () => {
      if (former === undefined || !former.life.isOver()) return false;
      former = undefined;
      changed();
      return true;
    },
  };
}

function isSignedBy(certificate: X509Certificate, { authority }: AuthorityPair): boolean {
  return certificate.verify(new X509Certificate(authority.certificate).publicKey);
}
