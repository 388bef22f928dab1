import { z } from 'zod';
import { errorCodes } from '../errors.ts';

/** RFC 9457: every answer that is no success. */
export const problem = z.strictObject({
  type: z.string().describe('about:blank, or urn:clawrden:reason:CODE'),
  title: z.string().describe('the name of the status'),
  status: z.int(),
  detail: z.string().describe('a line for people: what is wrong, and what to do'),
  code: z.enum(errorCodes).optional().describe('the reason code, if there is one (docs/errors.md)'),
  execution: z.string().optional().describe('the id of the execution that ended so'),
});

export type Problem = z.infer<typeof problem>;
