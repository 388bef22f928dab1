/**
 * Every way in which a command can end that the tool did not cause. `docs/errors.md` lists the same codes with what
 * to do; `exit-codes.ts` gives each its exit code.
 */
export const errorCodes = [
  // Refused before anything ran.
  'denied-by-rule',
  'denied-by-default',
  'denied-by-person',
  'approval-expired',
  'tool-unknown',
  'agent-unknown',
  'agent-paused',
  'agent-killed',
  'breaker-open',
  'needs-agent',
  'cwd-outside',
  'identity-mismatch',
  'identity-user',
  'identity-root',
  'identity-userns',
  'identity-agent',
  'operand-changed',
  'name-mismatch',
  'policy-changed',
  'plan-changed',
  'verdict-door',
  'request-invalid',
  'too-large',
  'plan-too-large',
  'rate-limit',
  'pending-limit',
  'id-duplicate',
  'id-too-old',
  // Time.
  'run-timeout',
  'idle-timeout',
  // Clawrden failed or stopped it.
  'gateway-unreachable',
  'gateway-lost',
  'gateway-older',
  'relay-unreachable',
  'relay-lost',
  'socket-replaced',
  'requester-gone',
  'agent-ambiguous',
  'host-lost',
  'session-lost',
  'no-host',
  'queue-full',
  'queue-timeout',
  'start-timeout',
  'workspace-missing',
  'workspace-conflict',
  'workspace-full',
  'workspace-limit',
  'workspace-suspect',
  'workspace-unreachable',
  'workspace-unstable',
  'secret-unavailable',
  'image-missing',
  'route-missing',
  'cwd-missing',
  'not-utf8',
  'input-failed',
  'output-failed',
  'canceled',
  'resume-void',
  'audit-unwritable',
  'internal',
  // The tool.
  'not-executable',
  'not-found',
  'out-of-memory',
  'output-limit',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** A failure that ends an execution with `code`. `message` is a line for people. */
export class ClawrdenError extends Error {
  override name = 'ClawrdenError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const known: ReadonlySet<string> = new Set(errorCodes);

export function isErrorCode(text: string): text is ErrorCode {
  return known.has(text);
}

/**
 * `error` itself, or an `internal` error with its message. Only the one place that turns failures into outcomes uses
 * it.
 */
export function toClawrdenError(error: unknown): ClawrdenError {
  if (error instanceof ClawrdenError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ClawrdenError('internal', message, { cause: error });
}
