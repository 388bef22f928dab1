import type { Checked } from './authentication.ts';
import type { ladder, Principal, Scope } from './principal.ts';

/** A person as the gateway's record has it. */
export interface KnownPerson {
  readonly name: string;
  readonly role: PersonRole;
  readonly scope: Scope;
  /** Epoch milliseconds; undefined if there is no end. */
  readonly until: number | undefined;
  /** Who set this, and when. */
  readonly by: string;
  readonly since: number;
}

export type PersonRole = (typeof ladder)[number];

/** An API token, without what it says. */
export interface KnownToken {
  readonly name: string;
  /** Whom it lets in: `program:NAME`, or the agent. */
  readonly principal: Principal;
  readonly until: number | undefined;
  readonly by: string;
  readonly since: number;
  /** When it last let somebody in, and from where; undefined and empty if it never did. */
  readonly usedAt: number | undefined;
  readonly usedFrom: string;
}

/** Who showed an API token. */
export interface TokenAuthentication {
  /** `from` is the address of the peer, without its port. The same work for every token that is not known. */
  readonly authenticateToken: (token: string, from: string) => TokenAdmission | TokenRefusal;
}

export interface TokenAdmission {
  readonly value: Principal;
  /** The caller as long as the token counts: a door that serves it for a while asks again. */
  readonly check: () => Checked<Principal>;
}

export interface TokenRefusal {
  /** One line for the caller. */
  readonly refused: string;
  /** More than 0 if there were too many wrong tokens from there: so long no other one is looked at. */
  readonly waitMs: number;
}
