import { z } from 'zod';
import { approval } from './approvals.ts';
import { executionId, time } from './fields.ts';
import { agent, host } from './fleet.ts';
import { execution } from './history.ts';
import { policy } from './policy.ts';
import { status } from './status.ts';

export const eventTypes = ['execution', 'approval', 'agent', 'host', 'status', 'policy'] as const;

export const eventsQuery = z.strictObject({
  types: z
    .string()
    .regex(
      new RegExp(`^(?:${eventTypes.join('|')})(?:,(?:${eventTypes.join('|')})){0,${eventTypes.length - 1}}$`),
      `must be some of ${eventTypes.join(',')}`,
    )
    .optional()
    .describe('only these, with a comma between two; of a thing that goes, too'),
  agent: z.string().max(63).optional().describe('only what is about this agent'),
});

export const eventsHeaders = z.strictObject({
  'Last-Event-ID': z.string().max(4096).optional().describe('go on behind this event'),
});

const at = time.describe('when the gateway saw it');
const told = <Type extends string, Row extends z.ZodRawShape>(type: Type, row: Row) =>
  z.strictObject({ type: z.literal(type), at, ...row });
const reason = z.string().describe('a line for people');

/** The data of one event; its type is the event's name, too. A thing is told as it is now. */
export const gatewayEvent = z.discriminatedUnion('type', [
  told('execution', { execution }),
  told('approval', { approval }),
  told('approval-gone', { approval: z.strictObject({ id: z.string(), executionId, agent: z.string() }) }),
  told('agent', { agent }),
  told('agent-gone', { name: z.string() }),
  told('host', { host }),
  told('host-gone', { name: z.string() }),
  told('status', { status }),
  told('policy', { policy: policy.pick({ hash: true, problem: true }) }),
  told('reset', { reason }).describe('events were missed: what is there has to be asked for again'),
  told('end', { reason }).describe('the gateway ends this stream'),
]);

export type GatewayEvent = z.infer<typeof gatewayEvent>;
