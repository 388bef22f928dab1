import type { PeerName } from '../../src/pki/peer-name.ts';
import type { Principal } from './principal.ts';

/** The result of a check: a refusal is a value, with a line for people. */
export type Checked<T> = { readonly value: T } | Refused;

export interface Refused {
  readonly refused: string;
  /** It may be let in again without anything else: what says who it is does not answer now. */
  readonly isForAWhile?: true;
}

/** Who is at the other end of a connection. `auth/` is the only implementation. */
export interface Authentication {
  /**
   * The client certificate of a connection whose TLS handshake has just succeeded: valid now by the wall clock, not
   * revoked, known.
   */
  readonly admit: (der: Uint8Array) => Checked<Admission>;
  /** Calls `listener` when certificates that counted may count no more. */
  readonly onRevoked: (listener: () => void) => void;
}

/**
 * The certificate of one connection, from its handshake on. Its remaining time was computed then: a later jump of the
 * wall clock neither ends nor extends it.
 */
export interface Admission {
  readonly peer: PeerName;
  /** As `src/pki` writes it. */
  readonly fingerprint: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** When the certificate's validity began, in epoch milliseconds. */
  readonly since: number;
  /** The caller, as long as the certificate counts. */
  readonly check: () => Checked<Principal>;
  /** A JWT bound to the certificate. */
  readonly issueToken: () => Promise<Checked<IssuedToken>>;
  /** The caller by the JWT too; every call except `Token` and `Enroll` needs both. */
  readonly callerOf: (token: string) => Promise<Checked<Principal>>;
}

export interface IssuedToken {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** How relays, people and programs get their certificates. */
export interface Enrolment {
  /** Whether any enrolment token is valid. */
  readonly isOpen: () => boolean;
  /**
   * `ttl` in seconds, 0 for the default of an hour. What this and the others give is in the audit before; each
   * rejects with `audit-unwritable`, and gives nothing, if it cannot be.
   */
  readonly createToken: (
    relay: string,
    agents: readonly string[],
    ttl: number,
    by: Principal,
  ) => Promise<Checked<NewToken>>;
  /** The same for a person or a program. */
  readonly createCode: (
    whom: { readonly kind: 'person' | 'program'; readonly name: string },
    ttl: number,
    by: Principal,
  ) => Promise<Checked<NewToken>>;
  /**
   * Uses up the token or code and signs the key of the PKCS #10 request (PEM), which came `from` this address. If that
   * answer is lost, the same token with the same key has the same certificate again.
   */
  readonly enroll: (token: string, request: string, from: string) => Promise<Checked<Enrolled>>;
  /** Signs another key for a known peer, while the certificate of its connection counts. */
  readonly renew: (
    peer: PeerName,
    request: string,
    admission: Pick<Admission, 'check' | 'since'>,
  ) => Promise<Checked<Certificate>>;
  /** Signs the key of a person who has just signed in; `by` and `from` are for the audit. */
  readonly certify: (
    person: string,
    request: string,
    seen: { readonly by: string; readonly from: string },
  ) => Promise<Checked<Certificate>>;
}

export interface NewToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** PEM, both. */
export interface Certificate {
  readonly certificate: string;
  readonly authority: string;
}

/** A relay, a person or a program; the others are empty. */
export interface Enrolled extends Certificate {
  readonly relay: string;
  readonly person: string;
  readonly program: string;
  readonly agents: readonly string[];
}
