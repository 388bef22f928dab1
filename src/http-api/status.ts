import { z } from 'zod';
import { count, time } from './fields.ts';

export const status = z.strictObject({
  version: z.string(),
  policyHash: z.string(),
  startedAt: time,
  problem: z.string().describe('empty, or why new work is refused'),
  running: count,
  queued: count,
  pending: count,
  warnings: z.array(z.string()),
  lockdown: z.boolean(),
});

export const health = z.strictObject({ status: z.literal('ok') });

export type Status = z.infer<typeof status>;
