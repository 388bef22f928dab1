import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import type { Logger } from 'pino';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import { countedLog } from '../../src/counted-log.ts';
import type { Faults } from '../../src/faults.ts';
import type { Route } from '../../src/http-api/route.ts';
import { acceptMany } from '../connections/accept-many.ts';
import type { ConnectionLimits } from '../connections/bounds.ts';
import { bodyBytes } from '../connections/open-requests.ts';
import type { LivePair } from '../live-config/server-files.ts';
import { type BrokenRequests, createBrokenRequests } from './broken-requests.ts';
import { answerHeaders } from './browser/page-headers.ts';
import type { Callers } from './callers.ts';
import { checkRequest } from './check-request.ts';
import { boundConnections, type Connections } from './connections.ts';
import type { InFlight } from './in-flight.ts';
import { type HttpPace, nodeServer } from './node-server.ts';
import { type OwnHosts, ownHosts } from './own-hosts.ts';
import { HttpRefused } from './problem.ts';
import { isJson } from './read-body.ts';
import { routeUrl } from './route-url.ts';
import { refuseUnknown, sendProblem } from './send-problem.ts';

export interface DoorParts {
  readonly http: HttpConfig;
  /** Of `http.tls`. */
  readonly tls?: LivePair | undefined;
  readonly limits: ConnectionLimits;
  readonly callers: Pick<Callers, 'mayConnect' | 'chargeStranger'>;
  readonly pace: HttpPace;
  readonly routes: readonly Pick<Route, 'method' | 'path' | 'open'>[];
  readonly bodies: Pick<InFlight, 'read'>;
  readonly faults: Faults;
  readonly log: Logger;
}

/** One listener, with all that every request is held to before a route has it. */
export interface Door {
  readonly app: FastifyInstance;
  readonly connections: Connections;
  /** Once its routes are there. Answers its port; rejects if the address is not available. */
  readonly open: () => Promise<number>;
  /** Takes nothing new, and ends what is open after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
}

export function createDoor(parts: DoorParts): Door {
  const { http, tls, callers, pace, routes, bodies, faults, log } = parts;
  const areProxies = http.trustProxy.length > 0;
  const limits = { ...parts.limits, areProxies };
  const broken = createBrokenRequests();
  const app = newApp({
    serverFactory: (handle) => nodeServer(broken.watch(guarded(handle, faults)), tls, pace),
    clientErrorHandler: broken.answer,
    ...{ routes, callers, bodies, faults },
  });
  const { server } = app;
  const connections = boundConnections(server, { limits, callers, broken, faults, log });
  const hosts = Promise.withResolvers<OwnHosts>();
  // First: what is refused has them, too.
  app.addHook('onRequest', async (_request, reply) => void reply.headers(answerHeaders));
  app.addHook('onRequest', async ({ raw }, reply) => {
    const own = await hosts.promise;
    try {
      checkRequest(raw, own, areProxies);
    } catch (error) {
      broken.takeNoMore(raw.socket);
      void reply.header('connection', 'close');
      throw error;
    }
  });
  const asking = new Set(routes.filter(({ open }) => open !== true).map(fastifyCallOf));
  app.addHook('onRequest', async ({ raw, method, routeOptions: { url } }) => {
    // Where it is asked who calls, they pay, or who is refused.
    if (!asking.has(`${method} ${url}`)) callers.chargeStranger(raw);
  });
  return {
    ...{ app, connections },
    open: async () => {
      await app.listen({ host: http.listen.host, port: http.listen.port });
      acceptMany(server);
      const warn = countedLog((fields, message) => log.warn(fields, message), 1, 1);
      // If no descriptor is left for the next connection, the server continues with the open ones.
      server.on('error', ({ message }) => warn({ reason: message }, 'a connection could not be taken'));
      const { port } = server.address() as AddressInfo;
      hosts.resolve(ownHosts(http, port, tls && (() => tls.now().leaf)));
      return port;
    },
    close: (graceMs) => close(app, connections, graceMs),
  };
}

function fastifyCallOf(route: Pick<Route, 'method' | 'path'>): string {
  return `${route.method} ${routeUrl(route)}`;
}

/** Fastify reads a query outside of all that catches errors: the route reads it. */
const unread = (query: string) => ({ query });

/** Fastify, with its own reading of bodies and queries and its own words taken out. */
function newApp({
  routes,
  callers,
  bodies,
  faults,
  ...options
}: {
  readonly serverFactory: (handle: RequestListener) => Server;
  readonly clientErrorHandler: BrokenRequests['answer'];
  readonly routes: DoorParts['routes'];
  readonly callers: DoorParts['callers'];
  readonly bodies: DoorParts['bodies'];
  readonly faults: Faults;
}): FastifyInstance {
  const problems = sendProblem(faults, callers);
  const app = fastify({
    ...options,
    bodyLimit: bodyBytes,
    exposeHeadRoutes: false,
    frameworkErrors: problems,
    routerOptions: { caseSensitive: true, maxParamLength: 128, querystringParser: unread },
  });
  app.setErrorHandler(problems);
  app.setNotFoundHandler(refuseUnknown(routes));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ raw, method }: FastifyRequest, body: Buffer) => {
      // A client may name a type where it sends nothing.
      if (body.length === 0 && method === 'DELETE') return undefined;
      if (!isJson(raw)) throw new HttpRefused(415, 'the body must be application/json, in UTF-8');
      return await bodies.read(raw, body);
    },
  );
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
