import type { Assignment } from '../../src/policy/assignment.ts';
import type { Checked } from './authentication.ts';
import type { Principal } from './principal.ts';

/** What admins do with tools of single agents. On the disk and in the audit when it resolves. */
export interface AssignmentOperations {
  readonly assign: (wanted: WantedAssignment, by: Principal, reason: string) => Promise<Checked<Assigned>>;
  readonly unassign: (of: AssignedTool, by: Principal, reason: string) => Promise<Checked<Assigned>>;
}

export interface Assigned {
  /** The rule's name. */
  readonly rule: string;
  /** What `policy check` says of it. */
  readonly warnings: readonly string[];
}

export type AssignedTool = Pick<Assignment, 'agent' | 'tool'>;

export type WantedAssignment = Pick<Assignment, 'agent' | 'tool' | 'action'>;
