import type { Checked } from './authentication.ts';
import type { ladder, Principal, PrincipalKind, Scope } from './principal.ts';
import type { ProviderPerson } from './signed-in.ts';

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

/** Only what the gateway itself recorded has a `role`. */
export type ListedPerson = KnownPerson | ProviderPerson;

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

/** `principal` (`person:NAME`, `oidc:SUB`, `slack:TEAM/USER`, `telegram:ID`) is the person of this name. */
export interface KnownLink {
  readonly principal: string;
  readonly person: string;
  readonly by: string;
  readonly since: number;
}

export interface WantedLink {
  readonly principal: string;
  readonly person: string;
  readonly reason: string;
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

/** A person as an admin wants one. */
export interface WantedPerson {
  readonly name: string;
  readonly role: PersonRole;
  readonly scope: Scope;
  readonly until: number | undefined;
  /** Gives a known person other rights, and adds nobody. */
  readonly replace: boolean;
}

export interface WantedToken {
  readonly name: string;
  readonly role: 'orchestrator' | 'viewer' | 'agent';
  /** Of a program. */
  readonly scope: Scope;
  /** Whose it is, if its role is `agent`; else empty. */
  readonly agent: string;
  readonly until: number | undefined;
}

export interface ToldToken {
  readonly token: KnownToken;
  /** What its owner has to show; nobody is told it again. */
  readonly text: string;
}

/** What admins do about who may call. Everything is on the disk and in the audit before it is answered. */
export interface PrincipalOperations {
  readonly people: () => ListedPerson[];
  readonly setPerson: (wanted: WantedPerson, by: Principal) => Promise<Checked<KnownPerson>>;
  readonly removePerson: (name: string, by: Principal, reason: string) => Promise<Checked<true>>;
  /** The oldest first. */
  readonly links: () => KnownLink[];
  readonly link: (wanted: WantedLink, by: Principal) => Promise<Checked<KnownLink>>;
  readonly unlink: (wanted: WantedLink, by: Principal) => Promise<Checked<true>>;
  readonly tokens: () => KnownToken[];
  readonly createToken: (wanted: WantedToken, by: Principal) => Promise<Checked<ToldToken>>;
  /** What it said before counts for `overlapMs` more. */
  readonly rotateToken: (name: string, overlapMs: number, by: Principal) => Promise<Checked<ToldToken>>;
  readonly removeToken: (name: string, by: Principal, reason: string) => Promise<Checked<true>>;
  /**
   * Certificates and codes of a relay or a person are void, and a new one lets it in again; API tokens of a program
   * or an agent are removed.
   */
  readonly revoke: (
    principal: { readonly kind: PrincipalKind; readonly name: string },
    by: Principal,
    reason: string,
  ) => Promise<Checked<true>>;
}
