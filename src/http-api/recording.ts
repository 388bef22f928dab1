import { z } from 'zod';
import { count } from './fields.ts';

const head = z.strictObject({
  version: z.literal(2),
  width: count,
  height: count,
  timestamp: count.describe('when it started, in seconds since 1970'),
});

const event = z.tuple([
  z.number().min(0).describe('seconds since the start'),
  z.enum(['o', 'm']).describe('o: output; m: a note of the gateway, that something was not kept'),
  z.string(),
]);

/** One line of an asciicast v2: its head is the first. */
export const recordingLine = z.union([head, event]);

export type RecordingHead = z.infer<typeof head>;
export type RecordingEvent = z.infer<typeof event>;
export type RecordingLine = z.infer<typeof recordingLine>;
