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
