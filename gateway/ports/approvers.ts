import type { ApproverRole } from '../../src/policy/policy.ts';

/** Who may say yes now. Names are those of principals (`person:alice`). */
export interface Approvers {
  /** Undefined if it may not answer questions of this agent. */
  readonly rightOf: (principal: string, agent: string) => ApproverRight | undefined;
  /** Principals with the same are one person. */
  readonly personOf: (principal: string) => string;
  /** Whether the provider names it; absent if there is no provider. If several must say yes, only those count. */
  readonly isNamed?: (principal: string) => boolean;
  /** Reads groups of the provider that are old; absent if there is none. Never rejects; has a deadline. */
  readonly freshen?: (principals: readonly string[]) => Promise<void>;
}

export interface ApproverRight {
  readonly role: ApproverRole;
  /** Another one after every change of what the principal may do, and after its revocation. */
  readonly stamp: string;
  /** The groups that give it are too old, and could not be read: nothing counts by it now. */
  readonly isOld?: true;
}
