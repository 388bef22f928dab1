import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import { createCallBudget, TooSoon } from '../connections/call-budget.ts';
import type { Checked } from '../ports/authentication.ts';
import type { BrowserSessions } from '../ports/browser-sessions.ts';
import type { TokenAdmission, TokenAuthentication } from '../ports/known-principals.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { permit } from '../principals/call-rules.ts';
import { checkPage, csrfTokenOf } from './browser/own-page.ts';
import { sessionCookie } from './browser/session-cookie.ts';
import { HttpRefused } from './problem.ts';

/** Finds out who makes a request, and whether the table of roles gives it to them. */
export interface Callers {
  /** Only connections from the proxies count, if there are proxies. */
  readonly mayConnect: (address: string) => boolean;
  /** Throws HttpRefused or TooSoon if this caller may not make this call, or not now. */
  readonly admit: (request: IncomingMessage, call: string) => Promise<Admitted>;
  /** Of the peer; behind a proxy, what the proxy says. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** Who calls, by an API token or by the session of a browser. */
export interface Admitted extends TokenAdmission {
  readonly session?: ShownSession;
}

export interface ShownSession {
  readonly id: string;
  readonly csrfToken: string;
  readonly until: number;
  /** With all its rights. */
  readonly principal: Principal;
}

export interface CallersParts {
  readonly tokens: TokenAuthentication;
  readonly sessions: Pick<BrowserSessions, 'find' | 'freshen'>;
  readonly http: HttpConfig;
  readonly perSecond: number;
}

const bearerPattern = /^Bearer ([\w.~+/-]{1,512}=*)$/i;

export function createCallers({ tokens, sessions, http, perSecond }: CallersParts): Callers {
  const { trustProxy } = http;
  const cookie = sessionCookie(http);
  const proxies = new BlockList();
  for (const { address, prefix, family } of trustProxy) proxies.addSubnet(address, prefix, family);
  const asked = createCallBudget('answers', { atOnce: 2 * perSecond, perSecond });
  const isProxy = (address: string) => proxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4');

  function addressOf({ socket, headers }: IncomingMessage): string {
    const direct = plainAddress(socket.remoteAddress ?? '');
    if (trustProxy.length === 0) return direct;
    const said = String(headers['x-forwarded-for'] ?? '').split(',');
    const hops = said.map((hop) => plainAddress(hop.trim())).filter((hop) => hop !== '');
    // The nearest that is no proxy of ours: what stands before it anybody can write.
    return hops.findLast((hop) => !isProxy(hop)) ?? direct;
  }

  function byToken(request: IncomingMessage): Admitted {
    const token = bearerPattern.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw unauthenticated('no bearer token, and no session of a browser');
    const admission = tokens.authenticateToken(token, addressOf(request));
    if (!('refused' in admission)) return admission;
    if (admission.waitMs > 0) throw new TooSoon(admission.refused, admission.waitMs);
    throw unauthenticated(admission.refused);
  }

  async function bySession(request: IncomingMessage, id: string): Promise<Admitted> {
    if (request.headers.authorization !== undefined)
      throw new HttpRefused(400, 'a token and the cookie of a session came together: send one of them');
    await sessions.freshen(id);
    const found = sessions.find(id);
    if ('refused' in found) throw unauthenticated(found.refused);
    checkPage(request, id, trustProxy.length > 0);
    const { value, check, until } = found;
    return { value, check, session: { id, csrfToken: csrfTokenOf(id), until, principal: value } };
  }

  return {
    mayConnect: (address) => trustProxy.length === 0 || isProxy(plainAddress(address)),
    admit: async (request, call) => {
      const id = cookie.read(request);
      const admitted = id === undefined ? byToken(request) : await bySession(request, id);
      asked.charge(principalName(admitted.value));
      const permitted = permit(admitted.value, call);
      if ('refused' in permitted) throw new HttpRefused(403, permitted.refused);
      const check = () => permittedStill(admitted.check(), call);
      return { ...admitted, value: permitted.value, check };
    },
    addressOf,
  };
}

function permittedStill(checked: Checked<Principal>, call: string): Checked<Principal> {
  return 'refused' in checked ? checked : permit(checked.value, call);
}

export function unauthenticated(why: string): HttpRefused {
  return new HttpRefused(401, why, { 'www-authenticate': 'Bearer realm="clawrden"' });
}

/** An IPv4 address of a socket that listens for both, as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
