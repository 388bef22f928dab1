import { z } from 'zod';
import { parseDestination } from '../egress/destination.ts';
import { endpointText } from '../egress/endpoint.ts';
import { type HeaderPart, type Route, type RouteHeader, routeEndpoint } from '../egress/route.ts';
import { strictObject } from './check-shape.ts';
import { nameField, parsedField, pathField } from './fields.ts';
import type { YamlSource } from './read-yaml.ts';
import { secretField } from './secret-field.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** What says whose the connection is, or how long a body is. */
const notOurs =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

const headerNameField = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'a header must have a name of letters, digits and "-" (up to 64)')
  .refine((name) => !notOurs.test(name), 'belongs to the connection, and not to a route');

const headerField = parsedField(
  parseTemplate,
  'one line of ASCII, with {NAME} for a secret and no other braces',
);

/** Which programs run, and whose home it is, is never a route's matter. */
const variableField = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'a variable must have a name of letters, digits and "_" (up to 128)',
  )
  .refine((name) => name !== 'PATH' && name !== 'HOME', 'is never set by a route');

const variableTextField = z
  .string()
  .regex(/^[\x20-\x7e]{1,1024}$/, 'must be one line of ASCII; {url} is where the route is');

const routeUrlField = parsedField(
  parseRouteUrl,
  'https://HOST[:PORT]/[PATH/] or http://, without a user or a query',
);

const routeNameField = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'a route must have a name of a-z, 0-9 and "-", beginning with a letter')
  .refine((name) => name !== 'mcp', 'is the name of a door, and cannot be a route');

const most = 256;
const mostVariables = 32;

export const secretsSchema = z
  .record(nameField, secretField)
  .refine((all) => Object.keys(all).length <= most, `must be ${most} at most`)
  .default({});

export const routesSchema = z
  .record(
    routeNameField,
    strictObject({
      to: routeUrlField,
      methods: z.array(z.enum(methods)).min(1).max(methods.length).default(['GET', 'HEAD', 'POST']),
      headers: z.record(headerNameField, headerField).default({}),
      private: z.boolean().default(false),
      environment: z
        .record(variableField, variableTextField)
        .refine((all) => Object.keys(all).length <= mostVariables, `must be ${mostVariables} at most`)
        .default({}),
      ca: pathField.optional(),
    }),
  )
  .refine((all) => Object.keys(all).length <= most, `must be ${most} at most`)
  .default({});

export type RoutesFile = z.infer<typeof routesSchema>;

export function toRoutes(raw: RoutesFile, inFolder: (path: string) => string): Route[] {
  return Object.entries(raw).map(([name, { ca, headers, ...rest }]) => ({
    ...{ name, ...rest, headers: toHeaders(headers) },
    ...(ca !== undefined && { ca: inFolder(ca) }),
  }));
}

/** Faults that the schema cannot show. */
export function findRouteProblems(
  raw: { readonly routes: RoutesFile; readonly secrets: Readonly<Record<string, unknown>> },
  source: YamlSource,
): string[] {
  return Object.entries(raw.routes).flatMap(([name, route]) => {
    const at = (what: string, ...path: string[]) => source.problem(['routes', name, ...path], what);
    const address = parseDestination(endpointText(routeEndpoint(route)), route.private);
    const missing = toHeaders(route.headers).flatMap((header) =>
      header.parts.flatMap((part) =>
        'secret' in part && !Object.hasOwn(raw.secrets, part.secret)
          ? [at(`there is no secret "${part.secret}"`, 'headers', header.name)]
          : [],
      ),
    );
    return [
      ...missing,
      ...('what' in address ? [at(address.what, 'to')] : []),
      ...(route.to.startsWith('http:') && !route.private
        ? [at('must be https, or private: true', 'to')]
        : []),
      ...(route.to.startsWith('http:') && route.ca !== undefined ? [at('is for https only', 'ca')] : []),
      ...(hasTwice(Object.keys(route.headers)) ? [at('names a header twice', 'headers')] : []),
    ];
  });
}

function toHeaders(headers: RoutesFile[string]['headers']): RouteHeader[] {
  return Object.entries(headers).map(([name, parts]) => ({ name, parts }));
}

function hasTwice(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size < names.length;
}

/** `Bearer {npm-read}`. */
function parseTemplate(text: string): HeaderPart[] | undefined {
  if (!/^[\x20-\x7e]{1,1024}$/.test(text) || text !== text.trim()) return undefined;
  const parts = text.split(/(\{[^{}]*\})/).filter((part) => part !== '');
  const read = parts.map((part): HeaderPart | undefined => {
    const secret = /^\{([a-z0-9][a-z0-9._-]{0,62})\}$/.exec(part)?.[1];
    if (secret !== undefined) return { secret };
    return /[{}]/.test(part) ? undefined : { text: part };
  });
  return read.every((part) => part !== undefined) ? read : undefined;
}

function parseRouteUrl(text: string): string | undefined {
  const path = /^https?:\/\/[^/?#\\]+(\/(?:[^?#\\]*\/)?)$/i.exec(text)?.[1];
  if (path === undefined || text.length > 2048 || !URL.canParse(text)) return undefined;
  const { username, password, href, pathname } = new URL(text);
  // A path that the parser changes is another one for somebody else.
  return username === '' && password === '' && pathname === path ? href : undefined;
}
