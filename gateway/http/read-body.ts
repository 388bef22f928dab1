import type { IncomingMessage } from 'node:http';
import { ClawrdenError } from '../../src/errors.ts';

/** Each key once, at most as many as any route knows; `checkRequest` has let UTF-8 only through. Throws `request-invalid`. */
export function readQuery(text: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  let left = 32;
  for (const [key, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(query, key)) throw invalid('a key of the query is there twice');
    if (left === 0) throw invalid('the query has too many keys');
    left -= 1;
    query[key] = value;
  }
  return query;
}

/** Whether the type of a body is the one that is taken, and it is as it is sent. */
export function isJson({ headers }: IncomingMessage): boolean {
  if (headers['content-encoding'] !== undefined) return false;
  return /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i.test(headers['content-type'] ?? '');
}

export function invalid(text: string): ClawrdenError {
  return new ClawrdenError('request-invalid', text);
}
