import { paths } from './paths.ts';
import { reasonQuery } from './principals.ts';
import type { Route } from './route.ts';
import { agentAndTool, assigned, assignmentRequest } from './tools.ts';

/** Tools of single agents, for admins. */
export const assignmentRoutes = {
  assignTool: {
    ...paths.assignTool,
    does: 'gives a tool to one agent, by one rule beside those of the policy',
    params: agentAndTool,
    body: assignmentRequest,
    answer: assigned,
  },
  unassignTool: {
    ...paths.unassignTool,
    does: 'takes a tool from an agent that was given to it alone',
    params: agentAndTool,
    query: reasonQuery,
    answer: assigned,
  },
} as const satisfies Record<string, Route>;
