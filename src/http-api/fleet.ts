import { z } from 'zod';
import { count, cursorOf, name, reason, time } from './fields.ts';

export const agent = z.strictObject({
  name: z.string(),
  relay: z.string(),
  online: z.boolean(),
  containerRunning: z.boolean(),
  tools: z.array(z.string()),
  running: count,
  pending: count,
  grants: count.describe('plans that it may run without a question for a while'),
  state: z.enum(['active', 'refused', 'paused', 'killed']),
  stoppedBy: z.string().optional().describe('who or which breaker stopped it'),
  stoppedReason: z.string().optional(),
  stoppedSince: time.optional(),
  problem: z.string(),
});

export type AgentJson = z.infer<typeof agent>;

export const agents = z.strictObject({ agents: z.array(agent), nextCursor: cursorOf('agents') });

export const agentStateRequest = z.strictObject({ state: z.enum(['active', 'paused', 'killed']), reason });

export const lockdownRequest = z.strictObject({ on: z.boolean(), reason });

export const halt = z.strictObject({
  stopped: count.describe('executions that ended'),
  unconfirmed: z.array(z.string()).describe('what was not confirmed as ended after 2 s'),
});

export const host = z.strictObject({
  name: z.string(),
  state: z.enum(['ready', 'draining', 'down']),
  draining: z.boolean().describe('a person took new work from it; also while it is down'),
  engine: z.string(),
  slots: count,
  running: count,
  queued: count,
  labels: z.record(z.string(), z.string()),
  problem: z.string(),
  warm: count,
  workspaceBytes: count,
});

export type HostJson = z.infer<typeof host>;

export const hosts = z.strictObject({ hosts: z.array(host), nextCursor: cursorOf('hosts') });

export const hostStateRequest = z.strictObject({ state: z.enum(['ready', 'draining']), reason });

export const relay = z.strictObject({
  name: z.string(),
  agents: count.describe('how many agents of gateway.yaml are behind it'),
  connected: z.boolean(),
  peer: z.string().describe('where it is connected from, ADDRESS:PORT; empty if it is not'),
  fingerprint: z.string().describe('SHA-256 of its certificate, base64url; empty if it is not connected'),
  version: z.string().describe('empty before its first report'),
  connectedAt: time.optional(),
});

export type RelayJson = z.infer<typeof relay>;

export const relays = z.strictObject({ relays: z.array(relay), nextCursor: cursorOf('relays') });

export const named = z.strictObject({ name });
