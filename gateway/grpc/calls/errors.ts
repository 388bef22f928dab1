import { Metadata, status } from '@grpc/grpc-js';
import { type ErrorCode, toClawrdenError } from '../../../src/errors.ts';
import { pushbackKey } from '../../../src/wire/pushback.ts';
import { TooSoon } from '../../connections/call-budget.ts';
import { unwritten } from '../../store/unwritten.ts';

type Status = (typeof status)[keyof typeof status];

/** How a failure looks to the caller of a unary call. An execution ends in an `outcome` instead. */
export const statusCodes: Record<ErrorCode, Status> = {
  'denied-by-rule': status.PERMISSION_DENIED,
  'denied-by-default': status.PERMISSION_DENIED,
  'denied-by-person': status.PERMISSION_DENIED,
  'approval-expired': status.FAILED_PRECONDITION,
  'tool-unknown': status.PERMISSION_DENIED,
  'agent-unknown': status.NOT_FOUND,
  'agent-paused': status.FAILED_PRECONDITION,
  'agent-killed': status.FAILED_PRECONDITION,
  'breaker-open': status.FAILED_PRECONDITION,
  'needs-agent': status.INVALID_ARGUMENT,
  'cwd-outside': status.PERMISSION_DENIED,
  'identity-mismatch': status.PERMISSION_DENIED,
  'identity-user': status.PERMISSION_DENIED,
  'identity-root': status.PERMISSION_DENIED,
  'identity-userns': status.PERMISSION_DENIED,
  'identity-agent': status.PERMISSION_DENIED,
  'operand-changed': status.FAILED_PRECONDITION,
  'name-mismatch': status.INVALID_ARGUMENT,
  'policy-changed': status.FAILED_PRECONDITION,
  'plan-changed': status.FAILED_PRECONDITION,
  'verdict-door': status.PERMISSION_DENIED,
  'request-invalid': status.INVALID_ARGUMENT,
  'too-large': status.INVALID_ARGUMENT,
  'plan-too-large': status.INVALID_ARGUMENT,
  'rate-limit': status.RESOURCE_EXHAUSTED,
  'pending-limit': status.RESOURCE_EXHAUSTED,
  'id-duplicate': status.ALREADY_EXISTS,
  'id-too-old': status.FAILED_PRECONDITION,
  'run-timeout': status.DEADLINE_EXCEEDED,
  'idle-timeout': status.DEADLINE_EXCEEDED,
  'gateway-unreachable': status.UNAVAILABLE,
  'gateway-lost': status.UNAVAILABLE,
  'gateway-older': status.FAILED_PRECONDITION,
  'relay-unreachable': status.UNAVAILABLE,
  'socket-replaced': status.UNAVAILABLE,
  'relay-lost': status.UNAVAILABLE,
  'requester-gone': status.CANCELLED,
  'agent-ambiguous': status.FAILED_PRECONDITION,
  'host-lost': status.UNAVAILABLE,
  'session-lost': status.UNAVAILABLE,
  'no-host': status.UNAVAILABLE,
  'queue-full': status.RESOURCE_EXHAUSTED,
  'queue-timeout': status.DEADLINE_EXCEEDED,
  'start-timeout': status.DEADLINE_EXCEEDED,
  'workspace-missing': status.FAILED_PRECONDITION,
  'workspace-conflict': status.ABORTED,
  'workspace-full': status.RESOURCE_EXHAUSTED,
  'workspace-limit': status.RESOURCE_EXHAUSTED,
  'workspace-suspect': status.FAILED_PRECONDITION,
  'workspace-unreachable': status.UNAVAILABLE,
  'workspace-unstable': status.ABORTED,
  'secret-unavailable': status.FAILED_PRECONDITION,
  'image-missing': status.FAILED_PRECONDITION,
  'route-missing': status.FAILED_PRECONDITION,
  'cwd-missing': status.FAILED_PRECONDITION,
  'not-utf8': status.INVALID_ARGUMENT,
  'input-failed': status.INVALID_ARGUMENT,
  'output-failed': status.RESOURCE_EXHAUSTED,
  canceled: status.CANCELLED,
  'resume-void': status.FAILED_PRECONDITION,
  'audit-unwritable': status.DATA_LOSS,
  internal: status.INTERNAL,
  'not-executable': status.FAILED_PRECONDITION,
  'not-found': status.NOT_FOUND,
  'out-of-memory': status.RESOURCE_EXHAUSTED,
  'output-limit': status.RESOURCE_EXHAUSTED,
};

/** Ends a call: a gRPC status with a line for people. */
export class CallRefused extends Error {
  override name = 'CallRefused';
  readonly code: Status;

  constructor(code: Status, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalid(why: string): CallRefused {
  return new CallRefused(status.INVALID_ARGUMENT, why);
}

export function notFound(what: string): CallRefused {
  return new CallRefused(status.NOT_FOUND, what);
}

export function toStatus(error: unknown): { code: Status; details: string; metadata?: Metadata } {
  if (error instanceof CallRefused) return { code: error.code, details: error.message };
  const { code, message } = toClawrdenError(unwritten(error));
  // gRPC's own name for the time to come back goes along, in milliseconds.
  const metadata = error instanceof TooSoon && { metadata: pushback(error.waitMs) };
  return { code: statusCodes[code], details: message, ...metadata };
}

function pushback(waitMs: number): Metadata {
  const metadata = new Metadata();
  metadata.set(pushbackKey, String(waitMs));
  return metadata;
}
