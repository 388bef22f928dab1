import { z } from 'zod';
import { count, cursorOf, executionId, time } from './fields.ts';
import { cut } from './history.ts';

export const approvalId = z.string().regex(/^[0-9a-f]{32}$/, 'must be the whole id of a question');

/** A question that waits for a person. */
export const approval = z.strictObject({
  id: z.string(),
  executionId,
  agent: z.string(),
  planHash: z.string(),
  rule: z.string(),
  reason: z.string(),
  noGrant: z.string().describe('why it cannot be approved for a while; empty if it can'),
  argv: z.array(z.string()),
  cwd: z.string(),
  cut: cut.optional(),
  planBytes: count,
  createdAt: time,
  expiresAt: time,
});

export type ApprovalView = z.infer<typeof approval>;

export const shownApproval = approval.extend({ plan: z.string().describe('canonical JSON, whole') });

export const approvals = z.strictObject({ approvals: z.array(approval), nextCursor: cursorOf('approvals') });

export const verdictRequest = z.strictObject({
  planHash: z
    .string()
    .min(1)
    .max(128)
    .describe('of the plan that was shown; another one is refused (plan-changed)'),
  verdict: z.enum(['approve', 'deny']),
  reason: z.string().max(1024).optional(),
  grantMinutes: z
    .int()
    .min(1)
    .max(1440)
    .optional()
    .describe('so long the same plan of the same agent needs no other yes'),
});
