import type { PeerName } from '../src/pki/peer-name.ts';
import type { Caller } from './caller.ts';

/** A check's answer: refusals are values, with a line for people. */
export type Checked<T> = { readonly value: T } | { readonly refused: string };

/**
 * Who is on the other side of a connection whose TLS handshake has succeeded. `der` is the client certificate of that
 * connection. `auth/` is the only implementation.
 */
export interface Authentication {
  /** The certificate alone: valid now, not revoked, known. */
  readonly peerOf: (der: Uint8Array) => Checked<PeerName>;
  /** A JWT bound to the certificate. */
  readonly issueToken: (der: Uint8Array) => Promise<Checked<IssuedToken>>;
  /** Certificate and JWT; every call but `Token` and `Enroll` needs both. */
  readonly callerOf: (der: Uint8Array, token: string) => Promise<Checked<Caller>>;
  /** Calls `listener` when certificates that counted may count no more. */
  readonly onRevoked: (listener: () => void) => void;
}

export interface IssuedToken {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** How a relay gets its certificate. */
export interface Enrolment {
  /** `ttl` in seconds, 0 for the default of an hour. */
  readonly createToken: (relay: string, agents: readonly string[], ttl: number) => Promise<Checked<NewToken>>;
  /** Spends the token and signs the key of the PKCS #10 request (PEM). */
  readonly enroll: (token: string, request: string) => Promise<Checked<EnrolledRelay>>;
  /** Signs another key for a relay that is known. */
  readonly renew: (relay: string, request: string) => Promise<Checked<RelayCertificate>>;
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
