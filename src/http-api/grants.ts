import { z } from 'zod';
import { cursorOf, time } from './fields.ts';
import { cut } from './history.ts';

export const grantId = z.string().regex(/^[0-9a-f]{16}$/, 'must be the whole id of a grant');

/** A yes that holds for a while. */
export const grant = z.strictObject({
  id: z.string(),
  agent: z.string().describe('empty: of commands without an agent'),
  planHash: z.string(),
  rule: z.string(),
  executionId: z.string().describe('the execution that was asked about; its plan is in the history'),
  argv: z.array(z.string()),
  cwd: z.string(),
  cut: cut.optional(),
  givenBy: z.array(z.string()).describe('who said yes'),
  givenAt: time.optional(),
  expiresAt: time,
});

export type GrantView = z.infer<typeof grant>;

export const grants = z.strictObject({ grants: z.array(grant), nextCursor: cursorOf('grants') });
