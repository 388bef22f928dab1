import { z } from 'zod';
import { count, cursorOf, name, time } from './fields.ts';

/** A container that serves an agent's commands. */
export const agentSession = z.strictObject({
  id: z.string(),
  agent: z.string(),
  image: z.string(),
  host: z.string().describe('this and the container are empty while it starts'),
  container: z.string(),
  state: z.enum(['starting', 'open', 'ending']).describe('ending: it takes no more commands'),
  commands: count.describe('how many are in it now'),
  since: time,
  usedAt: time.describe('when a command, or what one left there, last did something'),
});

export type AgentSessionJson = z.infer<typeof agentSession>;

export const agentSessions = z.strictObject({
  sessions: z.array(agentSession),
  nextCursor: cursorOf('sessions'),
});

export const sessionsOf = z.strictObject({ agent: name });

export const sessionsReset = z.strictObject({
  ended: count.describe('sessions that ended with all that ran in them'),
  unconfirmed: z.array(z.string()).describe('Docker hosts where a container may still be there'),
});
