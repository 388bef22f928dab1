import type { HttpConfig } from '../../../src/config/gateway-config.ts';
import { TooSoon } from '../../connections/call-budget.ts';
import { toTime } from '../../lists/short-texts.ts';
import type { BrowserSessions, SignInCodes } from '../../ports/browser-sessions.ts';
import { type Principal, principalName, rightsOf } from '../../ports/principal.ts';
import type { Handlers } from '../add-routes.ts';
import type { Callers } from '../callers.ts';
import { HttpRefused } from '../problem.ts';
import { checkOwnPage, csrfTokenOf } from './own-page.ts';
import { sessionCookie } from './session-cookie.ts';

export interface SessionHandlersParts {
  readonly http: HttpConfig;
  readonly codes: Pick<SignInCodes, 'redeem'>;
  readonly sessions: Pick<BrowserSessions, 'close' | 'find'>;
  readonly callers: Pick<Callers, 'addressOf'>;
}

type Sessions = Pick<Handlers, 'signIn' | 'session' | 'signOut'>;

/** How a browser comes in and goes out. An id that it brings is never taken over. */
export function sessionHandlers({ http, codes, sessions, callers }: SessionHandlersParts): Sessions {
  const cookie = sessionCookie(http);
  return {
    signIn: async ({ body: { code }, request: { raw }, reply }) => {
      checkOwnPage(raw, http.trustProxy.length > 0);
      const before = cookie.read(raw);
      const held = heldBy(before, sessions);
      const redeemed = await codes.redeem(code, callers.addressOf(raw), held);
      if ('isOf' in redeemed)
        throw new HttpRefused(
          409,
          `this browser is signed in as ${held}, and the link is of ${redeemed.isOf}: sign out first, and open another link`,
        );
      if ('refused' in redeemed) {
        if (redeemed.waitMs > 0) throw new TooSoon(redeemed.refused, redeemed.waitMs);
        throw new HttpRefused(401, redeemed.refused);
      }
      const { id, session } = redeemed.value;
      if (before !== undefined) sessions.close(before);
      void reply.header('set-cookie', cookie.write(raw, id));
      const ends = { csrfToken: csrfTokenOf(id), expiresAt: toTime(session.until) };
      return { ...toWho(session.value), ...ends };
    },
    session: ({ caller, session }) => {
      if (session === undefined) return toWho(caller);
      return { ...toWho(session.principal), csrfToken: session.csrfToken, expiresAt: toTime(session.until) };
    },
    signOut: ({ session, request, reply }) => {
      if (session === undefined) throw new HttpRefused(400, 'a token has no session that could end');
      sessions.close(session.id);
      void reply.header('set-cookie', cookie.write(request.raw, ''));
      return { signedOut: true };
    },
  };
}

/** Whom a browser with this cookie has: who sends it a link must not put another in the place of that one. */
function heldBy(id: string | undefined, { find }: Pick<BrowserSessions, 'find'>): string | undefined {
  const found = id === undefined ? undefined : find(id);
  return found === undefined || 'refused' in found ? undefined : principalName(found.value);
}

function toWho(principal: Principal) {
  const rights = rightsOf(principal).map(({ role, scope }) => ({ role, scope: { ...scope } }));
  return { principal: principalName(principal), rights };
}
