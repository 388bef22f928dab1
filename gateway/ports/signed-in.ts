import type { Checked } from './authentication.ts';
import type { ProviderClaims } from './identity-provider.ts';
import type { Right } from './principal.ts';

/** People whom the provider names. */
export interface SignedIn {
  /** Undefined if nobody of this name signed in. `hasRunOut`: also refuses if the groups could not be read again. */
  readonly of: (name: string, when: 'isOver' | 'hasRunOut') => Checked<SignedInPerson> | undefined;
  /** Until when a certificate of this person may count now; undefined if it may not. */
  readonly find: (name: string) => { readonly until: number } | undefined;
  readonly isName: (name: string) => boolean;
  /** Whom the provider means by this name, also after the sign-in has ended. */
  readonly subjectOf: (name: string) => string | undefined;
  /** Resolves once the groups of this person are not old, or cannot be read. Never rejects; has a deadline. */
  readonly freshen: (peer: { readonly kind: string; readonly name: string }) => Promise<void>;
  /** All whose name is known, also who may not come in. */
  readonly list: () => ProviderPerson[];
  /** All who may come in now. */
  readonly inForce: () => SignedInPerson[];
  /** Forgets what reads the groups again: the person must sign in again. */
  readonly forget: (name: string) => Promise<void>;
  /** Calls `listener` when somebody may do less than before. */
  readonly watch: (listener: () => void) => void;
}

export interface SignIns extends SignedIn {
  /** Takes in whom the provider names. Refuses who has no right here, and a name that is somebody else's. */
  readonly signIn: (claims: ProviderClaims, from: string) => Promise<Checked<SignedInPerson>>;
}

/** What the groups of a person of the provider gave when they were read last. */
export interface ProviderPerson {
  readonly name: string;
  readonly subject: string;
  readonly groups: readonly string[];
  /** Each by itself; or why there are none. */
  readonly rights: Checked<readonly Right[]>;
  /** Epoch milliseconds; undefined if the groups can be read again. */
  readonly until: number | undefined;
  /** When the rights changed last. */
  readonly since: number;
}

export interface SignedInPerson {
  readonly name: string;
  readonly subject: string;
  /** At least one; each by itself. */
  readonly rights: readonly [Right, ...Right[]];
  /** When they were given, in epoch milliseconds. */
  readonly since: number;
}
