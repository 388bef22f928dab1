import { z } from 'zod';
import { longestReason } from '../principal-limits.ts';

/** RFC 3339, in UTC, with milliseconds. */
export const time = z.iso.datetime();

export const count = z.int().min(0);

/** A UUIDv7 in lower case. */
export const executionId = z
  .string()
  .regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    'must be a UUIDv7 in lower case',
  );

export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be a name of a-z, 0-9, ".", "_" and "-"');

/** Why somebody does something. */
export const reason = z.string().max(longestReason).optional();

/** Of a list: `limit` rows at most, from where `cursor` says. A page may have fewer rows, and not be the last. */
export const pageQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, 'must be 1 to 1000')
    .optional(),
  cursor: z.string().max(4096).optional(),
});

export function cursorOf(list: string) {
  return z.string().describe(`where the next page of ${list} begins; empty at the end`);
}

/** What a question needs. */
export const consent = {
  approvals: count.describe('how many different people must say yes'),
  approverRole: z.enum(['approver', 'operator', 'admin']).describe('the lowest role that counts'),
  approverNames: z.array(z.string()).describe('the only people who count; all if it is empty'),
  answerIn: z
    .array(z.enum(['cli', 'dashboard', 'chat']))
    .describe('the doors that may answer: cli is gRPC, dashboard HTTP, chat the chats'),
};
