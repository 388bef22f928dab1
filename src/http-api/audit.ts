import { z } from 'zod';
import { count, cursorOf, pageQuery } from './fields.ts';

/** A record as the gateway has written it: what it tells is beside these keys. */
export const auditRecord = z.looseObject({
  seq: count.describe('its number'),
  time: z.string().optional(),
  prev: z.string().describe('the hash of the record before it'),
  hash: z.string(),
});

export const auditQuery = pageQuery.extend({
  from: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be a record's number")
    .optional()
    .describe('the first one; the newest ones if absent'),
});

export const audit = z.strictObject({
  audit: z
    .array(z.union([auditRecord, z.string()]))
    .describe(
      'in the order of the log; a text is a line that is not, byte for byte, as the gateway writes it',
    ),
  nextCursor: cursorOf('the audit'),
});
