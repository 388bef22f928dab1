import { z } from 'zod';
import { consent, count, cursorOf, executionId, reason, time } from './fields.ts';
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
  said: z
    .string()
    .describe(
      'what the agent says that it is for: its word, and no part of the plan; empty if it says nothing',
    ),
  noGrant: z.string().describe('why it cannot be approved for a while; empty if it can'),
  argv: z.array(z.string()),
  cwd: z.string(),
  cut: cut.optional(),
  planBytes: count,
  createdAt: time,
  expiresAt: time,
  ...consent,
  missing: count.describe('how many more must say yes, as things are now'),
  yeses: z
    .array(
      z.strictObject({
        givenBy: z.string(),
        via: z.string(),
        reason: z.string(),
        givenAt: time,
        grantMinutes: z.number().optional(),
        counts: z
          .boolean()
          .describe('false if its giver may not give it now, or could not all the time since'),
      }),
    )
    .describe('who has said yes so far'),
});

export type ApprovalView = z.infer<typeof approval>;

export const shownApproval = approval.extend({
  plan: z.string().describe('canonical JSON, whole'),
  earlier: z
    .array(
      z.strictObject({
        verdict: z.enum(['approved', 'denied']),
        by: z.string(),
        reason: z.string(),
        askedAt: time,
      }),
    )
    .describe('how this very plan of this agent was answered before, the newest first; 5 at most'),
});

export type EarlierAnswerView = z.infer<typeof shownApproval>['earlier'][number];

export const approvals = z.strictObject({ approvals: z.array(approval), nextCursor: cursorOf('approvals') });

export const verdictRequest = z.strictObject({
  planHash: z
    .string()
    .min(1)
    .max(128)
    .describe('of the plan that was shown; another one is refused (plan-changed)'),
  verdict: z.enum(['approve', 'deny']),
  reason,
  grantMinutes: z
    .int()
    .min(1)
    .max(1440)
    .optional()
    .describe('so long the same plan of the same agent needs no other yes'),
});
