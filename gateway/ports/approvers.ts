import type { ApproverRole } from '../../src/policy/policy.ts';

/** Who may say yes now. Names are those of principals (`person:alice`). */
export interface Approvers {
  /** Undefined if it may not answer questions of this agent. */
  readonly rightOf: (principal: string, agent: string) => ApproverRight | undefined;
  /** Principals with the same are one person. */
  readonly personOf: (principal: string) => string;
}

export interface ApproverRight {
  readonly role: ApproverRole;
  /** Another one after every change of what the principal may do, and after its revocation. */
  readonly stamp: string;
}
