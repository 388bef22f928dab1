import { type Endpoint, hostName } from './endpoint.ts';
import type { PlannedRoute } from './reach.ts';

/** A way to one server whose credentials stay in the gateway. */
export interface Route {
  readonly name: string;
  /** Ends in a slash; what a client asks for is below it. */
  readonly to: string;
  readonly methods: readonly string[];
  readonly headers: readonly RouteHeader[];
  /** Addresses that are not public count, too. */
  readonly private: boolean;
  /** Variables of its clients: NAME to text, in which `{url}` is where the route is. */
  readonly environment: Readonly<Record<string, string>>;
  /** PEM file: the authorities of the server, instead of the usual ones. */
  readonly ca?: string;
}

export interface RouteHeader {
  readonly name: string;
  readonly parts: readonly HeaderPart[];
}

export type HeaderPart = { readonly text: string } | { readonly secret: string };

/** Where programs without a network device find the way out. */
export const wayOutHost = '127.0.0.1';
export const wayOutPort = 3128;

export function routeUrl(name: string): string {
  return `http://${wayOutHost}:${wayOutPort}/${name}/`;
}

/** The part of it that a plan names. */
export function plannedRoute({ name, to, methods, headers, private: mayBePrivate }: Route): PlannedRoute {
  const secrets = headers.flatMap(({ parts }) =>
    parts.flatMap((part) => ('secret' in part ? [part.secret] : [])),
  );
  return {
    ...{ name, to, methods },
    headers: headers.map((header) => header.name),
    secrets: [...new Set(secrets)],
    ...(mayBePrivate && { private: true }),
  };
}

export function routeEndpoint({ to }: Pick<Route, 'to'>): Endpoint {
  const { protocol, hostname, port } = new URL(to);
  const usual = protocol === 'https:' ? 443 : 80;
  return { name: hostName(hostname) ?? hostname, port: port === '' ? usual : Number(port) };
}
