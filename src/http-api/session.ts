import { z } from 'zod';
import { time } from './fields.ts';

export const signInRequest = z.strictObject({
  code: z.string().min(1).max(256).describe('what clawrden dashboard put into its link'),
});

const who = {
  principal: z.string().describe('kind:NAME of who calls'),
  rights: z
    .array(z.strictObject({ role: z.string(), scope: z.record(z.string(), z.string()) }))
    .describe('a call needs one that permits it; the scope has labels of agents, or none for all agents'),
};

export const browserSession = z.strictObject({
  ...who,
  csrfToken: z.string().describe('for the header x-clawrden-csrf of each change'),
  expiresAt: time.describe('when it ends at the latest'),
});

export const session = z.strictObject({
  ...who,
  csrfToken: browserSession.shape.csrfToken.optional().describe('of a browser that is signed in'),
  expiresAt: browserSession.shape.expiresAt.optional(),
});

export const signedOut = z.strictObject({ signedOut: z.literal(true) });
