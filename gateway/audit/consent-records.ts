/** A yes to a question that needs more people: it is not decided yet. */
export interface YesRecord {
  readonly execution: string;
  readonly caller: string;
  readonly agent: string;
  readonly type: 'yes';
  readonly approval: string;
  readonly by: string;
  readonly via: string;
  readonly reason: string;
  readonly grantMs?: number;
  readonly planHash: string;
  /** How many people's yes counts now, and how many must. */
  readonly given: number;
  readonly needed: number;
}

/** A yes that holds for a while, and its end before its time. */
export interface GrantRecord {
  readonly type: 'grant';
  /** `withdrawn`: it was not given after all. */
  readonly event: 'given' | 'revoked' | 'withdrawn';
  readonly grant: string;
  readonly agent: string;
  readonly planHash: string;
  /** The execution that was asked about. */
  readonly execution: string;
  /** RFC 3339. */
  readonly until: string;
  /** Who said yes, with commas between; or who revoked it. */
  readonly by: string;
  readonly reason: string;
}

/** Which principals are one person. */
export interface LinkRecord {
  readonly type: 'link';
  readonly event: 'set' | 'removed';
  readonly principal: string;
  readonly person: string;
  readonly by: string;
  readonly reason: string;
}

/** What a person of the provider may do from now on. Written before it counts. */
export interface SignInRecord {
  readonly type: 'sign-in';
  /** `changed`: the provider named other groups since. `ended`: the person has to sign in again. */
  readonly event: 'signed-in' | 'changed' | 'ended';
  readonly person: string;
  readonly issuer: string;
  readonly subject: string;
  /** None if the groups may do nothing. */
  readonly rights: readonly { readonly role: string; readonly scope: Readonly<Record<string, string>> }[];
  /** The address of who signed in; empty for others. */
  readonly from: string;
  readonly reason: string;
}
