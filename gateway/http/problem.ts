import { type ErrorCode, toClawrdenError } from '../../src/errors.ts';
import type { Problem } from '../../src/http-api/problem.ts';
import { TooSoon } from '../connections/call-budget.ts';
import type { Checked } from '../ports/authentication.ts';
import { unwritten } from '../store/unwritten.ts';

/** How a failure looks over HTTP. A command whose tool was started ends in an outcome instead. */
export const httpStatuses: Record<ErrorCode, number> = {
  'denied-by-rule': 403,
  'denied-by-default': 403,
  'denied-by-person': 403,
  'approval-expired': 409,
  'tool-unknown': 403,
  'agent-unknown': 404,
  'agent-paused': 409,
  'agent-killed': 409,
  'breaker-open': 409,
  'needs-agent': 400,
  'cwd-outside': 403,
  'identity-mismatch': 403,
  'identity-user': 403,
  'identity-root': 403,
  'identity-userns': 403,
  'identity-agent': 403,
  'operand-changed': 409,
  'name-mismatch': 400,
  'policy-changed': 409,
  'plan-changed': 409,
  'verdict-door': 403,
  'request-invalid': 400,
  'too-large': 413,
  'plan-too-large': 413,
  'rate-limit': 429,
  'pending-limit': 429,
  'id-duplicate': 409,
  'id-too-old': 409,
  'run-timeout': 504,
  'idle-timeout': 504,
  'gateway-unreachable': 503,
  'gateway-lost': 503,
  'gateway-older': 503,
  'relay-unreachable': 503,
  'socket-replaced': 503,
  'relay-lost': 503,
  'requester-gone': 409,
  'agent-ambiguous': 409,
  'host-lost': 503,
  'session-lost': 503,
  'no-host': 503,
  'queue-full': 503,
  'queue-timeout': 504,
  'start-timeout': 504,
  'workspace-missing': 409,
  'workspace-conflict': 409,
  'workspace-full': 507,
  'workspace-limit': 507,
  'workspace-suspect': 409,
  'workspace-unreachable': 503,
  'workspace-unstable': 409,
  'secret-unavailable': 409,
  'image-missing': 409,
  'route-missing': 409,
  'cwd-missing': 409,
  'not-utf8': 400,
  'input-failed': 400,
  'output-failed': 507,
  canceled: 409,
  'resume-void': 409,
  'audit-unwritable': 503,
  internal: 500,
  'not-executable': 409,
  'not-found': 404,
  'out-of-memory': 507,
  'output-limit': 507,
};

/** A request that HTTP itself answers for: no reason code says it. */
export class HttpRefused extends Error {
  override name = 'HttpRefused';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Throws what is refused. */
export function done<Value>(checked: Checked<Value>): Value {
  if ('refused' in checked) throw new HttpRefused(409, checked.refused);
  return checked.value;
}

/** A problem that is known whole already. */
export class ProblemThrown extends Error {
  override name = 'ProblemThrown';
  readonly answer: ProblemAnswer;

  constructor(answer: ProblemAnswer) {
    super(answer.problem.detail);
    this.answer = answer;
  }
}

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

export const problemType = 'application/problem+json';

/** The one place where a failure becomes a status, a reason code and words. `bodyLimit`: of its route. */
export function toProblem(error: unknown, bodyLimit = 0): ProblemAnswer {
  if (error instanceof ProblemThrown) return error.answer;
  if (error instanceof HttpRefused) return plain(error.status, error.message, error.headers);
  const ofServer = refusedByServer(error, bodyLimit);
  if (ofServer !== undefined) return ofServer;
  const { code, message } = toClawrdenError(unwritten(error));
  const waitMs = error instanceof TooSoon ? error.waitMs : 1000;
  return coded(code, message, waitMs);
}

/** `waitMs`: when to come back, if the status says that coming back helps. */
export function coded(code: ErrorCode, detail: string, waitMs = 1000): ProblemAnswer {
  const status = httpStatuses[code];
  const isLater = status === 429 || status === 503;
  return {
    problem: { type: `urn:clawrden:reason:${code}`, title: titleOf(status), status, detail, code },
    headers: isLater ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : {},
  };
}

function plain(status: number, detail: string, headers: Readonly<Record<string, string>>): ProblemAnswer {
  return { problem: { type: 'about:blank', title: titleOf(status), status, detail }, headers };
}

/** What the HTTP server refuses before a handler sees it, in our words. */
function refusedByServer(error: unknown, bodyLimit: number): ProblemAnswer | undefined {
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  if (typeof code !== 'string' || !code.startsWith('FST_') || typeof statusCode !== 'number')
    return undefined;
  if (statusCode === 413)
    return coded('too-large', `the body has more bytes than this call takes (${bodyLimit} at most)`);
  if (statusCode === 415) return plain(415, 'the body must be application/json, in UTF-8', {});
  if (statusCode === 503) return plain(503, 'the gateway is shutting down', { 'retry-after': '1' });
  return statusCode < 500 ? coded('request-invalid', (error as Error).message) : undefined;
}

const titles: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [413, 'Content Too Large'],
  [415, 'Unsupported Media Type'],
  [417, 'Expectation Failed'],
  [421, 'Misdirected Request'],
  [429, 'Too Many Requests'],
  [431, 'Request Header Fields Too Large'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
  [507, 'Insufficient Storage'],
]);

function titleOf(status: number): string {
  return titles.get(status) ?? 'Error';
}
