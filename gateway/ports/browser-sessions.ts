import type { Admission, Checked, Refused } from './authentication.ts';
import type { TokenAdmission, TokenRefusal } from './known-principals.ts';

/** Who uses a browser, by the id that its cookie holds. Only digests of ids are kept, in memory. */
export interface BrowserSessions {
  /**
   * A session with an id that nobody had before. It ends when `admission` counts no more, whatever comes first. In the
   * audit before it resolves; rejects, and opens nothing, if it cannot be.
   */
  readonly open: (wanted: WantedSession) => Promise<OpenedSession>;
  /** The session of this id; asking for it is a use of it, and so is each `check`. */
  readonly find: (id: string) => FoundSession | Refused;
  /** Awaited before `find`: what is known of its person may be too old to count. */
  readonly freshen: (id: string) => Promise<void>;
  /** It counts no more when this returns. */
  readonly close: (id: string) => void;
  /** Forgets sessions that have ended; call it when somebody may do less than before. */
  readonly tidy: () => void;
}

export interface WantedSession {
  /** Whom it is of, and until when that counts. */
  readonly admission: TokenAdmission;
  /** How it was signed in, for the audit: `code:ID`. */
  readonly by: string;
  /** The address of the browser. */
  readonly from: string;
}

export interface OpenedSession {
  /** 256 random bits, told to the browser alone. */
  readonly id: string;
  readonly session: FoundSession;
}

export interface FoundSession extends TokenAdmission {
  /** Epoch milliseconds; it may end before. */
  readonly until: number;
}

/** Codes with which a person takes what its certificate lets it do into a browser. */
export interface SignInCodes {
  /** Works once, for a minute, and makes a session that ends with the certificate of `admission`. */
  readonly create: (admission: Pick<Admission, 'check'>) => Promise<Checked<SignInCode>>;
  /**
   * Uses the code up. `from` is the address of the peer: ten wrong codes a minute are looked at. If `held`, the principal
   * whom that browser has now, is another than whose code it is, that one is told, and stays.
   */
  readonly redeem: (code: string, from: string, held?: string) => Promise<Redeemed>;
}

export type Redeemed = { readonly value: OpenedSession } | { readonly isOf: string } | TokenRefusal;

export interface SignInCode {
  readonly code: string;
  readonly expiresAt: Date;
}
