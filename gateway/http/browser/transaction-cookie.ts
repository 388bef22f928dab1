import type { IncomingMessage } from 'node:http';
import type { HttpConfig } from '../../../src/config/gateway-config.ts';
import { type SessionCookie, sessionCookie } from './session-cookie.ts';

const seconds = 600;

/**
 * The cookie of a browser that is on its way to the provider: it comes back from another site, so that only a Lax
 * cookie comes with it.
 */
export function transactionCookie(http: HttpConfig): SessionCookie {
  const { nameOf, isSecure } = sessionCookie(http);
  const own = (request: IncomingMessage) => `${nameOf(request)}-oidc`;
  return {
    ...{ nameOf: own, isSecure },
    read: (request) => {
      const begin = `${own(request)}=`;
      const all = (request.headers.cookie ?? '').split(';').map((each) => each.trim());
      const [first, ...more] = all.filter((each) => each.startsWith(begin));
      return more.length > 0 ? undefined : first?.slice(begin.length);
    },
    write: (request, secret) => {
      const rest = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
      return `${own(request)}=${secret}; ${rest}; Max-Age=${secret === '' ? 0 : seconds}`;
    },
  };
}
