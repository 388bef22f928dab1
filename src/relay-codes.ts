import type { ErrorCode } from './errors.ts';

/** What a relay refuses by itself, before it asks the gateway. */
export const relayRefusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'request-invalid',
  'too-large',
  'rate-limit',
  'identity-userns',
  'identity-mismatch',
  'identity-root',
  'identity-user',
  'socket-replaced',
]);

/** What an init says instead of running a plan. */
export const initRefusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'cwd-missing',
  'cwd-outside',
  'no-host',
  'not-executable',
  'not-found',
  'operand-changed',
]);

/** How a command in an agent's container ends otherwise than by its tool. */
export const mirrorEnds: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...initRefusals,
  'run-timeout',
  'idle-timeout',
  'output-limit',
  'out-of-memory',
  'start-timeout',
  'agent-ambiguous',
  'needs-agent',
  'host-lost',
  'canceled',
  'requester-gone',
  'request-invalid',
  'internal',
]);
