import { z } from 'zod';
import { encoding, outcome } from './executions.ts';
import { count, executionId } from './fields.ts';

export const followQuery = z.strictObject({
  from: z
    .enum(['recent', 'now'])
    .optional()
    .describe('from the last 64 KiB on, or from now on; recent if absent'),
});

const written = <Type extends 'stdout' | 'stderr'>(type: Type) =>
  z.strictObject({ type: z.literal(type), data: z.string(), encoding });

/** The data of one event; its type is the event's name, too. */
export const followEvent = z.discriminatedUnion('type', [
  written('stdout'),
  written('stderr'),
  z.strictObject({ type: z.literal('gap').describe('so many bytes are left out here'), bytes: count }),
  z.strictObject({ type: z.literal('outcome'), id: executionId, outcome }),
  z.strictObject({ type: z.literal('end').describe('the gateway ends this stream'), reason: z.string() }),
]);

export type FollowEvent = z.infer<typeof followEvent>;

const number = z.string().regex(/^[0-9]{1,15}$/, 'must be a number of bytes');
/** Bytes in one answer. */
export const outputAtMost = 1024 * 1024;

const some = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, 'must be a number of bytes, and not 0')
  .refine((text) => Number(text) <= outputAtMost, `must be at most ${outputAtMost}`);

export const outputQuery = z.strictObject({
  stream: z.enum(['stdout', 'stderr']).optional().describe('stdout if absent'),
  from: number.optional().describe('0 if absent'),
  max: some.optional().describe('at most 1 MiB, which it is if absent'),
});

export const recordedOutput = z.strictObject({
  id: executionId,
  stream: z.enum(['stdout', 'stderr']),
  total: count.describe('bytes that the tool wrote'),
  from: count.describe('where the data begins: behind what was asked for if bytes there were not recorded'),
  data: z.string(),
  encoding,
  next: count.describe('where the data goes on; the total at the end'),
});

export type RecordedOutputView = z.infer<typeof recordedOutput>;
