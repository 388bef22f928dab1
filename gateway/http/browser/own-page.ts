import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { csrfHeader } from '../../../src/http-api/paths.ts';
import { hostOf } from '../check-request.ts';
import { HttpRefused } from '../problem.ts';

/** What a page of ours is told, and has to send with each change: it tells nothing of the session's id. */
export function csrfTokenOf(id: string): string {
  return createHmac('sha256', id).update('clawrden csrf').digest('base64url');
}

/** Throws HttpRefused if another page may have made it, or, of a change, one that does not know the session's token. */
export function checkPage(request: IncomingMessage, id: string, isBehindProxy: boolean): void {
  const isChange = request.method !== 'GET';
  // With a look, browsers name the page only if it is another one.
  if (isChange || request.headers.origin !== undefined) checkOwnPage(request, isBehindProxy);
  if (!isChange || isSame(request.headers[csrfHeader], csrfTokenOf(id))) return;
  throw new HttpRefused(403, `a change needs the header ${csrfHeader}, which GET /api/v1/session tells`);
}

/**
 * Throws HttpRefused if no page of the very origin that this is sent to has made it. All our names were looked at
 * before; but `localhost` and `127.0.0.1` may be two servers.
 */
export function checkOwnPage(request: IncomingMessage, isBehindProxy: boolean): void {
  const { origin = '' } = request.headers;
  const own = originWith(origin, hostOf(request, isBehindProxy) ?? '');
  if (own !== undefined && own === originWith(origin, origin.replace(/^https?:\/\//, ''))) return;
  throw new HttpRefused(403, 'a browser must send this from a page of this very origin');
}

/** The origin of the same scheme at that host, as a browser writes it. */
function originWith(origin: string, host: string): string | undefined {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  const text = `${scheme ?? ''}${host}`;
  return scheme !== undefined && host !== '' && URL.canParse(text) ? new URL(text).origin : undefined;
}

function isSame(told: string | readonly string[] | undefined, wanted: string): boolean {
  if (typeof told !== 'string' || told.length !== wanted.length) return false;
  // Node reads a header as Latin-1: a character is a byte.
  return timingSafeEqual(Buffer.from(told, 'latin1'), Buffer.from(wanted, 'latin1'));
}
