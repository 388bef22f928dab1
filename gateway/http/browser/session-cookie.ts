import type { IncomingMessage } from 'node:http';
import type { HttpConfig } from '../../../src/config/gateway-config.ts';
import { HttpRefused } from '../problem.ts';

/** The cookie that holds the id of a browser's session. */
export interface SessionCookie {
  readonly nameOf: (request: IncomingMessage) => string;
  readonly isSecure: boolean;
  /** Undefined if there is none. Throws HttpRefused if there are two: which one did the browser mean? */
  readonly read: (request: IncomingMessage) => string | undefined;
  /** `Set-Cookie` with this id; with an empty one the browser forgets it. */
  readonly write: (request: IncomingMessage, id: string) => string;
}

/**
 * Where the door is https, no other name and no plain page can set the cookie (`__Host-`). On plain loopback cookies
 * of all ports are in one jar: the port in the name keeps gateways apart.
 */
export function sessionCookie({ url, tls }: HttpConfig): SessionCookie {
  const isSecure = tls !== undefined || url?.startsWith('https:') === true;
  const port = url === undefined ? '' : new URL(url).port || '80';
  const nameOf = ({ socket }: IncomingMessage) =>
    isSecure ? '__Host-clawrden' : `clawrden-${port === '' ? socket.localPort : port}`;
  return {
    ...{ nameOf, isSecure },
    read: (request) => {
      const begin = `${nameOf(request)}=`;
      const own = (request.headers.cookie ?? '').split(';').map((each) => each.trim());
      const ids = own.filter((each) => each.startsWith(begin));
      if (ids.length > 1) throw new HttpRefused(400, `there are two cookies ${nameOf(request)}`);
      return ids[0]?.slice(begin.length);
    },
    write: (request, id) => {
      const rest = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
      return `${nameOf(request)}=${id}; ${rest}${id === '' ? '; Max-Age=0' : ''}`;
    },
  };
}
