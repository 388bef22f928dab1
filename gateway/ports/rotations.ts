import type { Checked } from './authentication.ts';
import type { Principal } from './principal.ts';

/** What an admin rotates while the gateway runs. */
export interface Rotations {
  /**
   * Another key signs tokens and audit from now on; tokens that the former ones signed count for `overlapMs` more. It is
   * in the audit, signed by the former, before it signs anything. Rejects with `audit-unwritable`.
   */
  readonly signingKey: (wanted: WantedRotation, by: Principal) => Promise<Checked<NewSigningKey>>;
  /**
   * Another authority signs certificates from now on; those of the former one count for `overlapMs` more. In the audit
   * before it signs anything. Rejects with `audit-unwritable`.
   */
  readonly authority: (wanted: WantedRotation, by: Principal) => Promise<Checked<NewAuthority>>;
}

export interface NewAuthority {
  /** As `src/pki` writes it. */
  readonly fingerprint: string;
  /** Epoch milliseconds. */
  readonly formerUntil: number;
}

export interface WantedRotation {
  readonly overlapMs: number;
  readonly reason: string;
}

export interface NewSigningKey {
  /** SPKI, PEM. */
  readonly publicKey: string;
  /** Epoch milliseconds. */
  readonly formerUntil: number;
}
