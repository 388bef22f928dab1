import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Route } from '../../src/http-api/route.ts';
import {
  type AnswerOf,
  type BodyOf,
  callOf,
  type ParamsOf,
  type QueryOf,
  type RouteName,
  type Routes,
  routes,
} from '../../src/http-api/routes.ts';
import type { LookTurns } from '../connections/look-turns.ts';
import { bodyBytes } from '../connections/open-requests.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { type Seen, seenBy } from '../principals/seen-by.ts';
import { type Admitted, type Callers, unauthenticated } from './callers.ts';
import { expectsToBeAsked } from './check-request.ts';
import type { Connections } from './connections.ts';
import { whenGone } from './gone.ts';
import type { InFlight } from './in-flight.ts';
import { invalid, readQuery } from './read-body.ts';
import { routeUrl } from './route-url.ts';

/** One request that has the shape of its route. */
export interface OpenCall<R> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The same, once it is known who makes it. */
export interface Call<R> extends OpenCall<R> {
  readonly caller: Principal;
  /** What the caller sees of the gateway. */
  readonly seen: Seen;
  /** Whether what the caller has shown still counts. */
  readonly check: Admitted['check'];
  /** Of a caller that is a browser. */
  readonly session: Admitted['session'];
}

/** The answer, or undefined if the handler has answered by itself. */
type Answered<A> = A | undefined | Promise<A | undefined>;

export type Handlers = {
  readonly [Name in RouteName]: Routes[Name] extends { readonly open: true }
    ? (call: OpenCall<Routes[Name]>) => AnswerOf<Routes[Name]> | Promise<AnswerOf<Routes[Name]>>
    : (call: Call<Routes[Name]>) => Answered<AnswerOf<Routes[Name]>>;
};

export interface RouteParts {
  readonly callers: Callers;
  readonly connections: Connections;
  readonly inFlight: InFlight;
  readonly lookTurns: LookTurns;
  readonly warden: WardenApi;
}

/** Of a body whose sender is not known. */
const openBodyBytes = 4096;

export function addRoutes(app: FastifyInstance, handlers: Handlers, parts: RouteParts): void {
  const admissions = new WeakMap<FastifyRequest, Admitted>();
  const inTurn = <T>({ caller, reply }: Call<Route>, look: () => Promise<T>): Promise<T> => {
    return parts.lookTurns.take(principalName(caller), whenGone(reply.raw), look);
  };
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const handle = handlers[name] as (call: OpenCall<Route>) => Answered<unknown>;
    app.route({
      method: route.method,
      url: routeUrl(route),
      bodyLimit: route.open ? openBodyBytes : bodyBytes,
      // Before a byte of the body is read.
      onRequest: async (request, reply) => {
        if (route.open) return;
        admissions.set(request, await admitRequest(parts, request, reply, callOf(route)));
      },
      preParsing: async ({ raw }, reply) => {
        if (expectsToBeAsked(raw)) reply.raw.writeContinue();
      },
      handler: async (request, reply) => {
        const asked = toOpenCall(route, request, reply);
        const admission = admissions.get(request);
        if (admission === undefined) return reply.send(await handle(asked));
        const call = { ...asked, ...toCaller(admittedStill(admission), parts.warden) };
        const answer = await (isLook(route) ? inTurn(call, async () => handle(call)) : handle(call));
        if (answer !== undefined && route.text !== undefined) reply.type(route.text);
        return answer === undefined ? reply : reply.send(answer);
      },
    });
  }
}

/** Finds out who calls, and counts the call as theirs. Throws what is refused. */
export async function admitRequest(
  { callers, connections, inFlight }: Pick<RouteParts, 'callers' | 'connections' | 'inFlight'>,
  request: FastifyRequest,
  reply: FastifyReply,
  call: string,
): Promise<Admitted> {
  const admission = await callers.admit(request.raw, call);
  const caller = principalName(admission.value);
  connections.prove(request.raw, caller);
  inFlight.enter(caller, request.raw, reply.raw);
  return admission;
}

/** The body took its time, and its caller may be known no longer, or have other rights. Throws what is refused. */
export function admittedStill(admission: Admitted): Admitted {
  const checked = admission.check();
  if ('refused' in checked) throw unauthenticated(checked.refused);
  return { ...admission, value: checked.value };
}

/** It answers with what it finds, and ends. */
function isLook({ method, events, lines }: Route): boolean {
  return method === 'GET' && events === undefined && lines === undefined;
}

function toOpenCall(route: Route, request: FastifyRequest, reply: FastifyReply): OpenCall<Route> {
  const params = shaped('the path', route.params, request.params);
  const query = shaped('the query', route.query, readQuery((request.query as { query: string }).query));
  const body = shaped('the body', route.body, request.body);
  return { params, query, body, request, reply } as OpenCall<Route>;
}

function toCaller({ value: caller, check, session }: Admitted, warden: WardenApi) {
  return { caller, check, session, seen: seenBy(warden, caller) };
}

/** A route without a schema takes nothing. */
function shaped(what: string, schema: z.ZodObject | undefined, value: unknown): unknown {
  if (schema === undefined) {
    const [key] = Object.keys(value ?? {});
    if (key !== undefined) throw invalid(`${what} has a key that is not known`);
    return value;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw invalid(
    `${what}${path === '' ? '' : `, ${path.slice(0, 100)}`}: ${issue?.message.slice(0, 300) ?? ''}`,
  );
}
