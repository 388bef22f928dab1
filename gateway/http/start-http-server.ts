import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import type { ConnectionLimits } from '../connections/bounds.ts';
import type { Execute } from '../execute.ts';
import type { Enrolment } from '../ports/authentication.ts';
import type { BrowserSessions, SignInCodes } from '../ports/browser-sessions.ts';
import type { Detached } from '../ports/detached.ts';
import type { EventFeed } from '../ports/events.ts';
import type { TokenAuthentication } from '../ports/known-principals.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { addRoutes } from './add-routes.ts';
import { type BrokenRequests, createBrokenRequests } from './broken-requests.ts';
import { answerHeaders } from './browser/page-headers.ts';
import { createCallers } from './callers.ts';
import { checkRequest } from './check-request.ts';
import { boundConnections, type Connections } from './connections.ts';
import { createEventReaders } from './events/event-readers.ts';
import { createHandlers } from './handlers.ts';
import { createInFlight } from './in-flight.ts';
import { createLookTurns } from './look-turns.ts';
import { type HttpPace, httpPace, nodeServer, readTls } from './node-server.ts';
import { type OwnHosts, ownHosts } from './own-hosts.ts';
import { HttpRefused } from './problem.ts';
import { bodyBytes, isJson, readBody } from './read-body.ts';
import { refuseUnknown, sendProblem } from './send-problem.ts';

export interface HttpServerOptions {
  readonly http: HttpConfig;
  readonly tokens: TokenAuthentication;
  readonly sessions: BrowserSessions;
  readonly codes: SignInCodes;
  readonly execute: Execute;
  readonly warden: WardenApi;
  readonly events: EventFeed;
  readonly detached: Detached;
  readonly enrolment: Pick<Enrolment, 'createCode'>;
  readonly limits: HttpLimits;
  /** `httpPace` if absent. */
  readonly pace?: HttpPace;
  readonly faults: Faults;
  readonly log: Logger;
}

export interface HttpLimits extends ConnectionLimits {
  /** Of one principal, each second; twice as many at once. */
  readonly requestsPerSecond: number;
}

export interface RunningHttpServer {
  readonly port: number;
  /** Takes nothing new, and ends what is open after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Serves people and programs over HTTP. Rejects if the address is not available. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  const { http, limits, pace = httpPace, faults, log } = options;
  const tls = readTls(http);
  const callers = createCallers({ ...options, perSecond: limits.requestsPerSecond });
  const broken = createBrokenRequests();
  const app = newApp({
    serverFactory: (handle) => nodeServer(broken.watch(guarded(handle, faults)), tls, pace),
    clientErrorHandler: broken.answer,
    faults,
  });
  const { server } = app;
  const connections = boundConnections(server, { limits, callers, broken, faults, log });
  const hosts = Promise.withResolvers<OwnHosts>();
  // First: what is refused has them, too.
  app.addHook('onRequest', async (_request, reply) => void reply.headers(answerHeaders));
  app.addHook('onRequest', async ({ raw }, reply) => {
    const own = await hosts.promise;
    try {
      checkRequest(raw, own, http.trustProxy.length > 0);
    } catch (error) {
      broken.takeNoMore(raw.socket);
      void reply.header('connection', 'close');
      throw error;
    }
  });
  const readers = createEventReaders(options);
  addRoutes(app, createHandlers({ ...options, callers }, readers), {
    ...{ callers, connections, inFlight: createInFlight(), lookTurns: createLookTurns() },
    warden: options.warden,
  });
  await app.listen({ host: http.listen.host, port: http.listen.port });
  const { port } = server.address() as AddressInfo;
  hosts.resolve(ownHosts(http, port, tls?.certificate));
  return {
    port,
    close: async (graceMs) => {
      readers.close();
      await close(app, connections, graceMs);
    },
  };
}

/** Fastify reads a query outside of all that catches errors: the route reads it. */
const unread = (query: string) => ({ query });

/** Fastify, with its own reading of bodies and queries and its own words taken out. */
function newApp({
  faults,
  ...options
}: {
  readonly serverFactory: (handle: RequestListener) => Server;
  readonly clientErrorHandler: BrokenRequests['answer'];
  readonly faults: Faults;
}): FastifyInstance {
  const problems = sendProblem(faults);
  const app = fastify({
    ...options,
    bodyLimit: bodyBytes,
    exposeHeadRoutes: false,
    frameworkErrors: problems,
    routerOptions: { caseSensitive: true, maxParamLength: 128, querystringParser: unread },
  });
  app.setErrorHandler(problems);
  app.setNotFoundHandler(refuseUnknown);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // A client may name a type where it sends nothing.
    if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
    if (!isJson(request.raw))
      return done(new HttpRefused(415, 'the body must be application/json, in UTF-8'));
    try {
      done(null, readBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  return app;
}

function guarded(handle: RequestListener, { guard }: Faults): RequestListener {
  return guard('HTTP request', handle, (_request, response) => void response.destroy());
}

async function close(app: FastifyInstance, connections: Connections, graceMs: number): Promise<void> {
  const timer = setTimeout(() => connections[Symbol.dispose](), graceMs);
  await app.close();
  clearTimeout(timer);
  connections[Symbol.dispose]();
}
