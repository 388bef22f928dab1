/** The provider by which people sign in. `oidc/` is the only implementation. Every call has a deadline. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Where a browser signs a person in, and comes back from with a code. */
  readonly authorizationUrl: (begun: BegunSignIn) => Promise<Provided<string>>;
  /** What the code of a browser is worth: it works once. */
  readonly redeem: (redeemed: RedeemedCode) => Promise<Provided<ProviderClaims>>;
  readonly beginDevice: () => Promise<Provided<BegunDevice>>;
  /** Asks once; `pending` as long as the person has not signed in. */
  readonly redeemDevice: (deviceCode: string) => Promise<Provided<ProviderClaims | 'pending'>>;
  /** What the provider says of the same person now. */
  readonly refresh: (refreshToken: string, subject: string) => Promise<Provided<ProviderClaims>>;
}

/** What the provider answers; `isOver` if it did, and means no. */
export type Provided<Value> =
  | { readonly value: Value }
  | { readonly refused: string; readonly isOver: boolean };

export interface BegunSignIn {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** Of the verifier, by SHA-256. */
  readonly challenge: string;
}

export interface RedeemedCode {
  /** Where the browser came back to, with all that the provider added to it. */
  readonly returned: URL;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface BegunDevice {
  readonly deviceCode: string;
  /** What the person types at `verificationUri`. */
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string | undefined;
  /** Seconds. */
  readonly expiresIn: number;
  readonly interval: number;
}

/** What the provider says of a person. */
export interface ProviderClaims {
  /** With the issuer it is the person. */
  readonly subject: string;
  /** What the name claim says; undefined if there is none. */
  readonly name: unknown;
  readonly groups: ProviderGroups;
  /** Undefined if the provider gives none. */
  readonly refreshToken: string | undefined;
  /** When the ID token ends, in epoch milliseconds; undefined if none came. */
  readonly until: number | undefined;
}

/** Their names, or why there are none. */
export type ProviderGroups = { readonly names: readonly string[] } | { readonly missing: string };
