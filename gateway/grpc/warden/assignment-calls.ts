import type {
  AssignToolRequest,
  AssignToolResponse,
  UnassignToolRequest,
  UnassignToolResponse,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { shortTexts } from '../../lists/short-texts.ts';
import type { AssignmentOperations } from '../../ports/assignment-operations.ts';
import type { Principal } from '../../ports/principal.ts';
import { done } from './principal-calls.ts';

/** What admins ask for about tools of single agents. */
export interface AssignmentCalls {
  readonly assignTool: (request: AssignToolRequest, by: Principal) => Promise<AssignToolResponse>;
  readonly unassignTool: (request: UnassignToolRequest, by: Principal) => Promise<UnassignToolResponse>;
}

export function assignmentCalls(assignments: AssignmentOperations): AssignmentCalls {
  return {
    assignTool: async ({ agent, tool, allow, reason }, by) => {
      const action = allow ? 'allow' : 'ask';
      const { rule, warnings } = done(await assignments.assign({ agent, tool, action }, by, reason));
      return { rule, warnings: shortTexts(warnings) };
    },
    unassignTool: async ({ agent, tool, reason }, by) => {
      const { rule } = done(await assignments.unassign({ agent, tool }, by, reason));
      return { rule };
    },
  };
}
