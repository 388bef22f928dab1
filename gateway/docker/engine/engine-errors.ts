import { ClawrdenError, type ErrorCode } from '../../../src/errors.ts';
import { firstBytes } from '../../../src/text/first-bytes.ts';

interface Known {
  readonly status: number;
  readonly says: RegExp;
  readonly code: ErrorCode;
  readonly advice: string;
}

/** Messages of engines whose meaning differs from their status; the first that matches counts. */
const known: readonly Known[] = [
  { status: 404, says: /no such image/i, code: 'image-missing', advice: 'load the image into that engine' },
  {
    status: 400,
    says: /bind source path does not exist/i,
    code: 'workspace-missing',
    advice: 'make the directory on that host or choose another host',
  },
  {
    status: 404,
    says: /network \S+ not found/i,
    code: 'no-host',
    advice: 'create the network on that engine or correct the policy',
  },
];

/**
 * The only place that turns an error of the engine or its connection into an ErrorCode. Known messages as above; any
 * other 4xx is our fault (`internal`); 401, 403, 5xx, a good status of another call, a redirection and every broken or
 * silent connection are `host-lost`.
 */
export function toEngineError(error: unknown, host: string): ClawrdenError {
  if (error instanceof ClawrdenError) return error;
  const text = engineText(error);
  const status = statusOf(error);
  const found = known.find((item) => item.status === status && item.says.test(text));
  if (found !== undefined) {
    return new ClawrdenError(found.code, `host ${host}: ${text}; ${found.advice}`, { cause: error });
  }
  return new ClawrdenError(codeOf(status, error), `host ${host}: ${text}`, { cause: error });
}

/** The engine's HTTP status; `undefined` if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return hasProperty(error, 'statusCode') && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
}

/** More of a message goes into no record and no log. */
const mostText = 1024;

/** The engine's own message, on one line of 1 KiB at most. */
export function engineText(error: unknown): string {
  const said =
    hasProperty(error, 'json') && hasProperty(error.json, 'message') ? error.json.message : undefined;
  const text = typeof said === 'string' ? said : error instanceof Error ? error.message : String(error);
  return firstBytes(text, mostText).trim().replaceAll(/\s+/g, ' ');
}

function codeOf(status: number | undefined, error: unknown): ErrorCode {
  if (status === undefined) return hasProperty(error, 'code') ? 'host-lost' : 'internal';
  const isOurs = status >= 400 && status < 500 && status !== 401 && status !== 403;
  return isOurs ? 'internal' : 'host-lost';
}

function hasProperty<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value;
}
