import { z } from 'zod';
import { errorCodes } from '../errors.ts';
import { labelKey, labelsAtMost, labelValueLength } from '../labels.ts';
import { commandLimits } from '../policy/request/check-command.ts';
import { executionId } from './fields.ts';

/** How bytes are written in JSON: as text if they are UTF-8. */
export const encoding = z.enum(['utf-8', 'base64']);

const labels = z
  .record(z.string().regex(labelKey), z.string().max(labelValueLength))
  .refine((all) => Object.keys(all).length <= labelsAtMost, `must have at most ${labelsAtMost} labels`);

export const executionRequest = z.strictObject({
  id: executionId
    .optional()
    .describe('a UUIDv7 that no caller has used; a second request with it is refused (id-duplicate)'),
  agent: z.string().max(63).describe('for which agent; empty for an orchestrator without an agent'),
  tool: z.string().min(1).max(255),
  args: z.array(z.string()).max(commandLimits.args),
  cwd: z.string().max(4096).optional().describe("the agent's own if absent"),
  env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).optional(),
  stdin: z.string().optional().describe('everything that the tool can read; without it, its input is empty'),
  stdinEncoding: encoding.optional(),
  reason: z
    .string()
    .max(500)
    .optional()
    .describe('what it is for, for a person who is asked; as CLAWRDEN_REASON of `env`'),
  hostLabels: labels.optional().describe('only Docker hosts that have all of these'),
});

export const runHeaders = z.strictObject({
  Prefer: z
    .string()
    .optional()
    .describe('respond-async: answers 202 at once, and the execution needs no connection any more'),
});

export type ExecutionRequest = z.infer<typeof executionRequest>;

/** How an execution ended. */
export const outcome = z.strictObject({
  kind: z.enum(['exited', 'denied', 'canceled', 'timed-out', 'failed', 'interrupted', 'started']),
  exitCode: z.int().describe('as a shell would see it'),
  signal: z.int().describe('the signal that ended the tool; 0 if it exited'),
  reason: z.enum(errorCodes).optional().describe('the reason code, if the tool did not end by itself'),
  text: z.string().optional().describe('a line for people'),
});

export type OutcomeView = z.infer<typeof outcome>;

export const captured = z.strictObject({
  data: z.string().describe('the first 1 MiB'),
  encoding,
  truncated: z.boolean(),
});

export const finishedExecution = z.strictObject({
  id: executionId,
  agent: z.string(),
  planHash: z.string(),
  host: z.string(),
  container: z.string(),
  outcome,
  stdout: captured,
  stderr: captured,
});

export type FinishedExecution = z.infer<typeof finishedExecution>;

/** One that nobody waits for. */
export const detachedExecution = z.strictObject({ id: executionId });

export type DetachedExecution = z.infer<typeof detachedExecution>;

const output = <Type extends 'stdout' | 'stderr'>(type: Type) =>
  z.strictObject({ type: z.literal(type), data: z.string(), encoding });

/** One line of a stream; empty lines only keep the connection open. The last one is the outcome. */
export const executionEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('pending').describe('a person is asked'),
    approvalId: z.string(),
    planHash: z.string(),
    expires: z.iso.datetime(),
  }),
  z.strictObject({ type: z.literal('accepted').describe('it may run'), planHash: z.string() }),
  z.strictObject({ type: z.literal('started'), host: z.string(), container: z.string() }),
  output('stdout'),
  output('stderr'),
  z.strictObject({ type: z.literal('notice'), text: z.string() }),
  z.strictObject({ type: z.literal('outcome'), id: executionId, outcome }),
]);

export type ExecutionEvent = z.infer<typeof executionEvent>;
