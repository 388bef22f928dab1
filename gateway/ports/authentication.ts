import type { PeerName } from '../../src/pki/peer-name.ts';
import type { Caller } from './caller.ts';

/** A check's answer: refusals are values, with a line for people. */
export type Checked<T> = { readonly value: T } | { readonly refused: string };

/** Who is on the other side of a connection. `auth/` is the only implementation. */
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
 * The certificate of one connection, from its handshake on. How long it is valid was reckoned then: a wall clock that
 * jumps later neither ends nor extends it.
 */
export interface Admission {
  readonly peer: PeerName;
  /** As `src/pki` writes it. */
  readonly fingerprint: string;
  /** Whose calls these are, as long as the certificate counts. */
  readonly check: () => Checked<Caller>;
  /** A JWT bound to the certificate. */
  readonly issueToken: () => Promise<Checked<IssuedToken>>;
  /** By the JWT too; every call but `Token` and `Enroll` needs both. */
  readonly callerOf: (token: string) => Promise<Checked<Caller>>;
}

export interface IssuedToken {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** How a relay gets its certificate. */
export interface Enrolment {
  /** Whether a token is out by which anybody could enrol. */
  readonly isOpen: () => boolean;
  /** `ttl` in seconds, 0 for the default of an hour. */
  readonly createToken: (relay: string, agents: readonly string[], ttl: number) => Promise<Checked<NewToken>>;
  /** Spends the token and signs the key of the PKCS #10 request (PEM). */
  readonly enroll: (token: string, request: string) => Promise<Checked<EnrolledRelay>>;
  /** Signs another key for a relay that is known, while the certificate that it asks over counts. */
  readonly renew: (
    relay: string,
    request: string,
    admission: Pick<Admission, 'check'>,
  ) => Promise<Checked<RelayCertificate>>;
}

export interface NewToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** PEM, both. */
export interface RelayCertificate {
  readonly certificate: string;
  readonly authority: string;
}

export interface EnrolledRelay extends RelayCertificate {
  readonly relay: string;
  readonly agents: readonly string[];
}
