import { pino } from 'pino';
import { createBrowserSessions } from '../../gateway/browsers/browser-sessions.ts';
import { createSignInCodes } from '../../gateway/browsers/sign-in-codes.ts';
import { createLookTurns } from '../../gateway/connections/look-turns.ts';
import { createOpenRequests } from '../../gateway/connections/open-requests.ts';
import { createEventFeed } from '../../gateway/events/event-feed.ts';
import { type HttpServerOptions, startHttpServer } from '../../gateway/http/start-http-server.ts';
import { createMcpDoor } from '../../gateway/mcp/create-mcp-door.ts';
import type { Pace } from '../../gateway/mcp/look-on.ts';
import type { Detached } from '../../gateway/ports/detached.ts';
import type { TokenAuthentication } from '../../gateway/ports/known-principals.ts';
import type { Principal, Role, Scope } from '../../gateway/ports/principal.ts';
import type { WardenApi } from '../../gateway/ports/warden-api.ts';
import { createFaults } from '../../src/faults.ts';
import { createNextPiece, type NextPiece } from '../../src/next-piece.ts';
import { emptyWarden } from '../grpc/gateway.ts';

/** The HTTP door on loopback, in front of an `execute` and an interface of people that the test writes. */
export interface HttpGateway extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** If `http.metricsListen` is given. */
  readonly metricsPort: number | undefined;
  /** Counts until it is removed; its principal is `program:NAME`, or the agent of that name. */
  readonly token: (role: Role, more?: { readonly scope?: Scope; readonly name?: string }) => string;
  readonly remove: (token: string) => void;
  /** A code that signs a browser in as the token's principal, for as long as the token counts. */
  readonly code: (token: string) => Promise<string>;
  readonly fetch: (path: string, init?: RequestInit & { readonly token?: string }) => Promise<Response>;
  readonly faults: () => number;
  readonly log: string[];
}

export type HttpGatewayOptions = Partial<Omit<HttpServerOptions, 'warden'>> & {
  readonly warden?: Partial<WardenApi>;
  readonly mcpPace?: Pace;
  readonly nextPiece?: NextPiece;
};

export const loopback = { listen: { host: '127.0.0.1', port: 0 }, trustProxy: [] } as const;

export async function startHttpGateway(options: HttpGatewayOptions = {}): Promise<HttpGateway> {
  const known = new Map<string, Principal>();
  const log: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => void log.push(line) });
  const faults = createFaults(logger);
  const warden = { ...emptyWarden, ...options.warden };
  const tokens = tokensOf(known);
  const detached = options.detached ?? noDetached;
  const record = async () => {};
  const sessions = options.sessions ?? createBrowserSessions(record);
  const codes = options.codes ?? createSignInCodes({ sessions, record });
  const nextPiece = options.nextPiece ?? createNextPiece();
  const requests = createOpenRequests(nextPiece);
  const server = await startHttpServer({
    enrolment: { createCode: async () => ({ refused: 'nobody is known here' }) },
    http: loopback,
    grpcPort: () => 0,
    tokens,
    execute: async () => ({ kind: 'exited', code: 0, signal: 0 }),
    limits: { connections: 512, perAddress: 512, requestsPerSecond: 1000 },
    faults,
    log: logger,
    ...options,
    ...{ sessions, codes },
    detached,
    requests,
    looks: createLookTurns(nextPiece),
    mcp: createMcpDoor({
      detached,
      warden,
      faults,
      ...{ requests, nextPiece },
      ...(options.mcpPace && { pace: options.mcpPace }),
    }),
    events: options.events ?? createEventFeed().feed({ ...warden, faults }),
    warden,
  });
  const url = `${options.http?.tls ? 'https' : 'http'}://127.0.0.1:${server.port}`;
  return {
    ...{ port: server.port, metricsPort: server.metricsPort, url, log },
    token: (role, { scope = {}, name: given } = {}) => {
      const token = `clw_${role}-${known.size}`;
      const kind =
        role === 'agent' || role === 'relay' ? role : role === 'orchestrator' ? 'program' : 'person';
      known.set(token, { kind, name: given ?? role, role, scope });
      return token;
    },
    remove: (token) => void known.delete(token),
    code: async (token) => {
      const admission = tokens.authenticateToken(token, '');
      if ('refused' in admission) throw new Error(admission.refused);
      const made = await codes.create(admission);
      if ('refused' in made) throw new Error(made.refused);
      return made.value.code;
    },
    fetch: (path, { token, headers, ...init } = {}) =>
      fetch(`${url}${path}`, {
        ...init,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      }),
    faults: () => faults.count(),
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

const noDetached: Detached = {
  start: () => Promise.reject(new Error('nothing is detached here')),
  result: async () => undefined,
  underway: () => undefined,
};

/** What the gateway's record of tokens answers, without its database. */
function tokensOf(known: ReadonlyMap<string, Principal>): TokenAuthentication {
  const check = (token: string) => {
    const value = known.get(token);
    return value === undefined ? { refused: 'the API token is not valid' } : { value };
  };
  return {
    authenticateToken: (token) => {
      const checked = check(token);
      if (checked.value === undefined) return { refused: checked.refused, waitMs: 0 };
      return { value: checked.value, check: () => check(token) };
    },
  };
}
