import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { HttpConfig } from '../../../src/config/gateway-config.ts';
import type { BrowserSessions } from '../../ports/browser-sessions.ts';
import { callbackPath } from '../../ports/callback-path.ts';
import type { ProviderSignIn } from '../../ports/provider-sign-in.ts';
import type { Callers } from '../callers.ts';
import { valueOf } from '../oidc-handlers.ts';
import { HttpRefused } from '../problem.ts';
import { pagePolicy } from './page-headers.ts';
import type { FindFile } from './serve-dashboard.ts';
import { sessionCookie } from './session-cookie.ts';
import { transactionCookie } from './transaction-cookie.ts';

export interface CallbackParts {
  readonly http: HttpConfig;
  readonly providerSignIn?: ProviderSignIn | undefined;
  readonly sessions: Pick<BrowserSessions, 'close'>;
  readonly callers: Pick<Callers, 'addressOf'>;
  readonly find: FindFile;
}

/**
 * Where the provider sends a browser back to. It is another site that sends it: only the cookie of a sign-in that
 * began here makes something of it, once.
 */
export function serveCallback(
  app: FastifyInstance,
  { http, providerSignIn, sessions, callers, find }: CallbackParts,
): void {
  const cookie = sessionCookie(http);
  const transaction = transactionCookie(http);
  const enter = async (raw: IncomingMessage, reply: FastifyReply) => {
    const secret = transaction.read(raw);
    if (providerSignIn === undefined || secret === undefined)
      throw new HttpRefused(400, 'no sign-in began in this browser in the last 10 minutes; begin again');
    void reply.header('set-cookie', transaction.write(raw, ''));
    const from = callers.addressOf(raw);
    const { id } = valueOf(await providerSignIn.finishBrowser(secret, raw.url ?? '', from));
    const before = cookie.read(raw);
    if (before !== undefined) sessions.close(before);
    void reply.header('set-cookie', cookie.write(raw, id));
  };
  app.get(callbackPath, async ({ raw }, reply) => {
    try {
      await enter(raw, reply);
    } catch (error) {
      const shell = await find('index.html').catch(() => undefined);
      if (!(error instanceof HttpRefused) || shell === undefined) throw error;
      const page = refusalPage(error.message, shell.plain.toString());
      void reply.code(error.status).headers(error.headers).header('content-security-policy', pagePolicy);
      return reply.type('text/html; charset=utf-8').send(page);
    }
    return reply.code(303).header('location', '/').send();
  });
}

/** A person stands before it: the page for who is not signed in, with the reason. */
function refusalPage(reason: string, shell: string): string {
  const said = reason.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return shell.replace('</head>', () => `<meta name="clawrden-refused" content="${said}" /></head>`);
}
