/** A tool that an admin gave to an agent, or took from it. */
export interface AssignmentRecord {
  readonly type: 'assignment';
  readonly event: 'assigned' | 'unassigned' | 'withdrawn';
  readonly agent: string;
  readonly tool: string;
  readonly action: 'allow' | 'ask';
  readonly by: string;
  readonly reason: string;
}

/** A principal whose earlier certificates count no more. */
export interface RevocationRecord {
  readonly type: 'revocation';
  /** `kind:name`. */
  readonly principal: string;
  /** How often it was revoked; earlier versions did not record it. */
  readonly epoch?: number;
  readonly by: string;
  readonly reason: string;
}

/** What lets a relay or a person in. Written before it is given. */
export interface CredentialRecord {
  readonly type: 'credential';
  readonly credential: 'enrolment-token' | 'certificate' | 'sign-in-code' | 'browser-session';
  /** `kind:name`. */
  readonly principal: string;
  /** Of a relay. */
  readonly agents: readonly string[];
  /**
   * The person, the principal that renews, or `token:ID` for the enrolment token, `code:ID` for the sign-in code that
   * was used.
   */
  readonly by: string;
  /** Address and port of a machine that enrols, the address of a browser that signs in; empty for others. */
  readonly from: string;
  /** The certificate's serial number in hex; of others a name that lets nobody in. */
  readonly id: string;
  /** The certificate's, as `src/pki` writes it; empty for others. */
  readonly fingerprint: string;
  /** RFC 3339. */
  readonly until: string;
}

/** Who a person is from now on. A start without a database takes it from here. */
export interface PersonRecord {
  readonly type: 'person';
  /** `withdrawn`: it was not added after all. */
  readonly event: 'set' | 'removed' | 'withdrawn';
  readonly person: string;
  /** Empty if there is no such person any more. */
  readonly role: string;
  readonly scope: Readonly<Record<string, string>>;
  /** RFC 3339; empty if there is no end. */
  readonly until: string;
  readonly by: string;
  readonly reason: string;
}

/** An API token: whom it lets in, and the digest of what it says. */
export interface TokenRecord {
  readonly type: 'token';
  readonly event: 'set' | 'removed' | 'withdrawn';
  readonly token: string;
  /** `program:NAME` or `agent:NAME`; empty if there is no such token any more, as what follows. */
  readonly principal: string;
  readonly role: string;
  readonly scope: Readonly<Record<string, string>>;
  /** SHA-256, in hex. */
  readonly digest: string;
  /** What it said before its rotation, and until when that counts (RFC 3339); empty, both, if nothing. */
  readonly formerDigest: string;
  readonly formerUntil: string;
  readonly until: string;
  readonly by: string;
  readonly reason: string;
}
