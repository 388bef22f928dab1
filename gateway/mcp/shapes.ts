import { z } from 'zod';

const id = z.string().max(64).describe('what execute told');
const longestWait = 600;

/** What each tool takes; unknown keys are refused. */
export const shapes = {
  execute: z.strictObject({
    program: z.string().max(256).describe('a name of list_programs'),
    args: z.array(z.string()).describe('its arguments, each by itself; there is no shell between'),
    cwd: z.string().optional().describe('the directory; that of the agent if it is left out'),
    stdin: z.string().optional().describe('its whole input'),
    reason: z.string().max(500).optional().describe('what it is for: a person who is asked reads it'),
    wait: z
      .number()
      .min(0)
      .max(longestWait)
      .optional()
      .describe('seconds until you are told what is so far; 45 if it is left out'),
  }),
  ofId: z.strictObject({ id }),
  read: z.strictObject({
    id,
    stream: z.enum(['stdout', 'stderr']),
    from: z.int().min(0).describe('the first byte'),
    max: z.int().min(1).max(100_000).describe('bytes at most'),
  }),
};

/** Of `execute`. */
export type Wanted = z.infer<typeof shapes.execute>;
export type WantedPart = z.infer<typeof shapes.read>;
