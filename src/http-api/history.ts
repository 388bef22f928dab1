import { z } from 'zod';
import { searchLength } from '../line-search.ts';
import { count, cursorOf, executionId, pageQuery, time } from './fields.ts';

export const executionStates = ['received', 'awaiting-approval', 'queued', 'running', 'ended'] as const;
export const decisions = ['allow', 'deny', 'ask'] as const;

/** A command that is too long to be kept: what is there is its beginning. */
export const cut = z.strictObject({ bytes: count, words: count, sha256: z.string() });

export const execution = z.strictObject({
  id: executionId,
  caller: z.string().describe('the principal that asked, as KIND:NAME'),
  agent: z.string(),
  argv: z.array(z.string()),
  cwd: z.string(),
  cut: cut.optional(),
  uid: count,
  gid: count,
  state: z.enum(executionStates),
  decision: z.enum(['', ...decisions]).describe('empty before the decision'),
  rule: z.string(),
  decisionReason: z.string(),
  strategy: z.string(),
  host: z.string(),
  container: z.string(),
  planHash: z.string(),
  approvalId: z.string(),
  approver: z.string(),
  outcome: z.string().describe('empty before the end'),
  exitCode: count,
  exitSignal: count,
  reason: z.string(),
  text: z.string(),
  receivedAt: time,
  decidedAt: time.optional(),
  startedAt: time.optional(),
  endedAt: time.optional(),
  stdoutBytes: count,
  stderrBytes: count,
  connectionCount: count.describe('connections by name, also those that were refused'),
});

export type ExecutionView = z.infer<typeof execution>;

export const wholeExecution = execution.extend({
  plan: z.string().describe('canonical JSON; empty if there is none, or if it is longer than 64 KiB'),
  operands: z.string().describe('JSON: the files that the tool was given to run; empty if there are none'),
  connections: z.string().describe('JSON: what its connections reached by name; empty if it had none'),
});

export const executionsQuery = pageQuery.extend({
  agent: z.string().max(63).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional().describe('only those that came before then'),
  decision: z.enum(decisions).optional(),
  tool: z.string().min(1).max(255).optional(),
  q: z
    .string()
    .min(searchLength.least)
    .max(2 * searchLength.most)
    .optional()
    .describe(
      `only those whose command line has this text, of ${searchLength.least} to ${searchLength.most} characters; capitals and small letters are the same`,
    ),
  state: z
    .enum(executionStates)
    .exclude(['ended'])
    .optional()
    .describe('only those that are open, and in this state'),
});

export const executions = z.strictObject({
  executions: z.array(execution),
  nextCursor: cursorOf('executions'),
});
