import type { FastifyInstance } from 'fastify';
import type { HttpConfig } from '../../../src/config/gateway-config.ts';
import type { BrowserSessions } from '../../ports/browser-sessions.ts';
import { callbackPath } from '../../ports/callback-path.ts';
import type { ProviderSignIn } from '../../ports/provider-sign-in.ts';
import type { Callers } from '../callers.ts';
import { valueOf } from '../oidc-handlers.ts';
import { HttpRefused } from '../problem.ts';
import { sessionCookie } from './session-cookie.ts';
import { transactionCookie } from './transaction-cookie.ts';

export interface CallbackParts {
  readonly http: HttpConfig;
  readonly providerSignIn?: ProviderSignIn | undefined;
  readonly sessions: Pick<BrowserSessions, 'close'>;
  readonly callers: Pick<Callers, 'addressOf'>;
}

/**
 * Where the provider sends a browser back to. It is another site that sends it: only the cookie of a sign-in that
 * began here makes something of it, once.
 */
export function serveCallback(
  app: FastifyInstance,
  { http, providerSignIn, sessions, callers }: CallbackParts,
): void {
  const cookie = sessionCookie(http);
  const transaction = transactionCookie(http);
  app.get(callbackPath, async ({ raw }, reply) => {
    const secret = transaction.read(raw);
    if (providerSignIn === undefined || secret === undefined)
      throw new HttpRefused(400, 'no sign-in began in this browser in the last 10 minutes; begin again at /');
    void reply.header('set-cookie', transaction.write(raw, ''));
    const from = callers.addressOf(raw);
    const { id } = valueOf(await providerSignIn.finishBrowser(secret, raw.url ?? '', from));
    const before = cookie.read(raw);
    if (before !== undefined) sessions.close(before);
    void reply.header('set-cookie', cookie.write(raw, id));
    return reply.code(303).header('location', '/').send();
  });
}
