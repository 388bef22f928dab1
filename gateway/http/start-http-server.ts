import type { Logger } from 'pino';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import type { Route } from '../../src/http-api/route.ts';
import { routes } from '../../src/http-api/routes.ts';
import type { ConnectionLimits } from '../connections/bounds.ts';
import type { LookTurns } from '../connections/look-turns.ts';
import type { OpenRequests } from '../connections/open-requests.ts';
import type { Execute } from '../execute.ts';
import type { LivePair } from '../live-config/server-files.ts';
import type { Enrolment } from '../ports/authentication.ts';
import type { BrowserSessions, SignInCodes } from '../ports/browser-sessions.ts';
import type { Detached } from '../ports/detached.ts';
import type { EventFeed } from '../ports/events.ts';
import type { TokenAuthentication } from '../ports/known-principals.ts';
import type { McpDoor } from '../ports/mcp-door.ts';
import type { ProviderSignIn } from '../ports/provider-sign-in.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { addRoutes } from './add-routes.ts';
import { serveCallback } from './browser/serve-callback.ts';
import { createFindFile, serveDashboard } from './browser/serve-dashboard.ts';
import { createCallers } from './callers.ts';
import { createDoor } from './door.ts';
import { createEventReaders } from './events/event-readers.ts';
import { createHandlers } from './handlers.ts';
import { createInFlight } from './in-flight.ts';
import { openMetricsDoor } from './metrics-door.ts';
import { type HttpPace, httpPace } from './node-server.ts';
import { mcpRoute, serveMcp } from './serve-mcp.ts';

export interface HttpServerOptions {
  readonly http: HttpConfig;
  /** Of `http.tls`. */
  readonly tls?: LivePair | undefined;
  readonly tokens: TokenAuthentication;
  readonly sessions: BrowserSessions;
  readonly codes: SignInCodes;
  readonly execute: Execute;
  readonly warden: WardenApi;
  readonly events: EventFeed;
  readonly detached: Detached;
  readonly mcp: McpDoor;
  readonly requests: OpenRequests;
  readonly looks: LookTurns;
  readonly enrolment: Pick<Enrolment, 'createCode'>;
  /** Undefined if gateway.yaml names no provider. */
  readonly providerSignIn?: ProviderSignIn | undefined;
  /** Of the listener that takes certificates. */
  readonly grpcPort: () => number;
  readonly limits: HttpLimits;
  /** The folder of the built dashboard; that of this checkout if absent. */
  readonly dashboard?: string;
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
  /** If `http.metrics-listen` is given. */
  readonly metricsPort?: number;
  /** Takes nothing new, and ends what is open after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Serves people and programs over HTTP, and a monitor of this machine. Rejects if an address is not available. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  const { http, tls, limits, warden, pace = httpPace, faults, log } = options;
  const callers = createCallers({ ...options, perSecond: limits.requestsPerSecond });
  const every = Object.values<Route>(routes);
  const inFlight = createInFlight(options.requests);
  const door = createDoor({
    ...{ http, tls, limits, callers, pace, faults, log, bodies: inFlight },
    routes: [...every, mcpRoute],
  });
  const { connections } = door;
  const readers = createEventReaders(options);
  const parts = { callers, connections, inFlight, lookTurns: options.looks, warden };
  const handlers = createHandlers({ ...options, providerSignIn: options.providerSignIn, callers }, readers);
  addRoutes(door.app, handlers, parts);
  serveMcp(door.app, { ...parts, mcp: options.mcp, stalledMs: pace.stalledMs });
  const find = createFindFile(options.dashboard);
  serveCallback(door.app, { ...options, callers, find });
  serveDashboard(door.app, find);
  const port = await door.open();
  const monitored =
    http.metricsListen && (await openMetricsDoor(http.metricsListen, { warden, pace, faults, log }));
  return {
    port,
    ...(monitored && { metricsPort: monitored.port }),
    close: async (graceMs) => {
      readers.close();
      await Promise.all([door.close(graceMs), monitored?.close(graceMs)]);
    },
  };
}
