import { readFile } from 'node:fs/promises';
import { EgressError } from '../../src/egress/egress-error.ts';
import { endpointText } from '../../src/egress/endpoint.ts';
import type { Connect } from '../../src/egress/guarded-connect.ts';
import { plannedRoute, type Route, routeEndpoint, wayOutHost, wayOutPort } from '../../src/egress/route.ts';
import { canonicalJson } from '../../src/plan.ts';
import type { Secret } from '../secrets/open-secrets.ts';
import { exchange } from './exchange.ts';
import { spelling, standsIn } from './http-headers.ts';
import type { Asked } from './read-request.ts';
import { ownHeaders } from './route-headers.ts';
import { readRouteTarget } from './route-path.ts';
import { secured } from './secure-socket.ts';
import type { Visit } from './visit.ts';

export interface RouteParts {
  readonly connect: Connect;
  readonly idleMs: number;
  /** Those in force. */
  readonly routes: () => ReadonlyMap<string, Route>;
  readonly secret: Secret;
}

/** Where clients of the way out find it. */
const hosts: ReadonlySet<string> = new Set([`${wayOutHost}:${wayOutPort}`, `localhost:${wayOutPort}`]);

/** A plain request below `/ROUTE/`: it goes out with the route's credentials, over TLS that the gateway makes. */
export async function followRoute(
  asked: Asked & { is: 'request' },
  visit: Visit,
  parts: RouteParts,
): Promise<void> {
  const target = readRouteTarget(asked.request.url ?? '');
  visit.facts.route = target.route;
  const route = routeOf(target.route, visit, parts.routes());
  const endpoint = routeEndpoint(route);
  visit.facts.to = endpointText(endpoint);
  checkRequest(asked, route);
  const own = await ownHeaders(route, parts.secret, visit.signal);
  const ca = route.ca === undefined ? undefined : await readFile(route.ca);
  const reached = await parts.connect({ ...endpoint, private: route.private }, visit.signal);
  visit.facts.address = reached.address;
  const { pathname, host, protocol } = new URL(route.to);
  const isPlain = protocol === 'http:';
  const socket = isPlain ? reached.socket : await secured(reached.socket, endpoint.name, visit.signal, ca);
  const path = `${pathname}${target.path}${target.query}`;
  const onward = { socket, path, host, headers: own.raw, keepsBack: own.isEcho };
  await exchange(asked, onward, visit, parts.idleMs);
}

/** It must be what it was when the plan was made. */
function routeOf(name: string, { way: { reach } }: Visit, routes: ReadonlyMap<string, Route>): Route {
  const planned = reach.routes.find((other) => other.name === name);
  if (planned === undefined)
    throw new EgressError('denied', `/${name}/ is not a route of network ${reach.network}`);
  const route = routes.get(name);
  if (route === undefined || canonicalJson(plannedRoute(route)) !== canonicalJson(planned))
    throw new EgressError('denied', `route ${name} is not what it was when this was planned`);
  return route;
}

function checkRequest({ request }: Asked & { is: 'request' }, { name, methods, headers }: Route): void {
  const { method = '', rawHeaders, headers: sent } = request;
  if (!hosts.has(sent.host ?? ''))
    throw new EgressError('denied', `route ${name} is at 127.0.0.1:3128 and at no other host`);
  if (!methods.includes(method)) throw new EgressError('denied', `route ${name} takes no ${method}`);
  const names = rawHeaders.filter((_, at) => at % 2 === 0);
  const standIn = names.find(standsIn);
  if (standIn !== undefined)
    throw new EgressError(
      'denied',
      `route ${name} takes no header ${standIn}: it may stand in for its path or method`,
    );
  const own = new Set(headers.map((header) => spelling(header.name)));
  const taken = names.find((header) => own.has(spelling(header)));
  if (taken !== undefined)
    throw new EgressError('denied', `route ${name} adds the header ${taken} itself: leave it out`);
}
