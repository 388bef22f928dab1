import { z } from 'zod';
import { count, cursorOf } from './fields.ts';
import { named } from './fleet.ts';
import { reasonQuery } from './principals.ts';

const action = z.enum(['allow', 'ask', 'deny']);

export const tool = z.strictObject({
  name: z.string(),
  strategy: z
    .enum(['ghost', 'mirror', 'passthrough', 'fetch'])
    .describe('mirror and passthrough need the agent itself'),
  image: z.string().describe('empty unless it runs in a container of its own'),
  isolation: z.enum(['ghost', 'session']).describe('session: in a container that the agent keeps'),
  network: z.string(),
  workspace: z.enum(['write', 'read', 'none']),
  stdin: z.enum(['pipe', 'none']),
  timeoutSeconds: count.describe('0: no limit'),
  best: action.describe('the best that a command of it may come to'),
  otherwise: action.describe('what becomes of its commands that no rule is about'),
  known: z.string().describe('where it comes from how it takes its arguments; empty if that is not known'),
  description: z.string().describe('one line of its tool file; empty if it has none'),
});

export const tools = z.strictObject({ tools: z.array(tool), nextCursor: cursorOf('tools') });

export const toolRule = z.strictObject({
  name: z.string(),
  action,
  reason: z.string(),
  instead: z.string().describe('what to do instead of what it denies; empty if it says nothing'),
});

export const wholeTool = tool.extend({
  rules: z.array(toolRule).describe('that are about it, in their order; the first 200'),
  documentation: z.string().describe('Markdown of its tool file; empty if it has none'),
});

const toolName = z.string().regex(/^[A-Za-z0-9_+][A-Za-z0-9._+-]{0,254}$/, "must be a tool's name");

export const toolNamed = z.strictObject({ name: toolName });

export const agentAndTool = named.extend({ tool: toolName });

export const assignmentRequest = z.strictObject({
  action: z.enum(['ask', 'allow']).describe('ask: a person is asked each time'),
  ...reasonQuery.shape,
});

export const assigned = z.strictObject({
  rule: z.string().describe('its name'),
  warnings: z.array(z.string()).max(101).describe('what a check of the policy says of it'),
});
