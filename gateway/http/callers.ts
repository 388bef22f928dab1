import type { IncomingMessage } from 'node:http';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import { addressKey } from '../connections/address-key.ts';
import { createCallBudget, TooSoon } from '../connections/call-budget.ts';
import type { Checked } from '../ports/authentication.ts';
import type { BrowserSessions } from '../ports/browser-sessions.ts';
import type { TokenAdmission, TokenAuthentication } from '../ports/known-principals.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { permit } from '../principals/call-rules.ts';
import { checkPage, csrfTokenOf } from './browser/own-page.ts';
import { sessionCookie } from './browser/session-cookie.ts';
import { type ClientAddresses, clientAddresses } from './client-addresses.ts';
import { HttpRefused } from './problem.ts';

/** Finds out who makes a request, and whether the table of roles gives it to them. */
export interface Callers extends ClientAddresses {
  /** Throws HttpRefused or TooSoon if this caller may not make this call, or not now. */
  readonly admit: (request: IncomingMessage, call: string) => Promise<Admitted>;
  /**
   * Behind a proxy, a request that no principal has paid for is charged, once, to the client that the proxy names;
   * throws TooSoon if it comes too often.
   */
  readonly chargeStranger: (request: IncomingMessage) => void;
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

/** As many as an address without a proxy may make connections. */
const strangerRate = { atOnce: 200, perSecond: 100 };

const bearerPattern = /^Bearer ([\w.~+/-]{1,512}=*)$/i;

export function createCallers({ tokens, sessions, http, perSecond }: CallersParts): Callers {
  const { trustProxy } = http;
  const cookie = sessionCookie(http);
  const addresses = clientAddresses(http);
  const { addressOf } = addresses;
  const asked = createCallBudget('answers', { atOnce: 2 * perSecond, perSecond });
  const strangers = createCallBudget('answers without a token', strangerRate);
  const paid = new WeakSet<IncomingMessage>();

  function byToken(request: IncomingMessage): Admitted {
    const token = tokenIn(request);
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
    ...addresses,
    admit: async (request, call) => {
      const id = cookie.read(request);
      const admitted = id === undefined ? byToken(request) : await bySession(request, id);
      paid.add(request);
      asked.charge(principalName(admitted.value));
      const permitted = permit(admitted.value, call);
      if ('refused' in permitted) throw new HttpRefused(403, permitted.refused);
      const check = () => permittedStill(admitted.check(), call);
      return { ...admitted, value: permitted.value, check };
    },
    chargeStranger: (request) => {
      if (trustProxy.length === 0 || paid.has(request)) return;
      paid.add(request);
      strangers.charge(addressKey(addressOf(request)));
    },
  };
}

function tokenIn({ headers }: IncomingMessage): string | undefined {
  return bearerPattern.exec(headers.authorization ?? '')?.[1];
}

function permittedStill(checked: Checked<Principal>, call: string): Checked<Principal> {
  return 'refused' in checked ? checked : permit(checked.value, call);
}

export function unauthenticated(why: string): HttpRefused {
  return new HttpRefused(401, why, { 'www-authenticate': 'Bearer realm="clawrden"' });
}
