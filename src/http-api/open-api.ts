import { z } from 'zod';
import { problem } from './problem.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

type Json = Record<string, unknown>;

/** OpenAPI 3.1 of all routes. Its schemas are JSON Schema 2020-12, made from those that the gateway checks. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(routes))
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route) };
  const info = { title: 'Clawrden', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } };
  const told = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session },
      schemas: { Problem: schemaOf(problem, 'output') },
      responses: { Problem: { description: 'every answer that is no success (RFC 9457)', content: told } },
    },
  };
}

const session = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-clawrden',
  description: 'of a browser; over plain HTTP it is clawrden-PORT. A change needs x-clawrden-csrf, too',
};

function operation(operationId: string, route: Route): Json {
  const parameters = [
    ...parametersOf('path', route.params),
    ...parametersOf('query', route.query),
    ...parametersOf('header', route.headers),
  ];
  const content = {
    ...(route.answer && { [mediaTypeOf(route)]: { schema: schemaOf(route.answer, 'output') } }),
    ...(route.lines && { 'application/x-ndjson': { schema: schemaOf(route.lines, 'output') } }),
    ...(route.events && { 'text/event-stream': { schema: schemaOf(route.events, 'output') } }),
  };
  return {
    operationId,
    summary: route.does,
    ...(route.open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: bodyOf(route.body) }),
    responses: {
      200: { description: 'done', content },
      ...(route.accepted && { 202: acceptedOf(route.accepted) }),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

/** Without its parameters. */
function mediaTypeOf({ text = 'application/json' }: Route): string {
  return text.split(';', 1)[0] ?? text;
}

function acceptedOf(schema: z.ZodType): Json {
  const content = { 'application/json': { schema: schemaOf(schema, 'output') } };
  return { description: 'it goes on without its caller', content };
}

function bodyOf(schema: z.ZodType): Json {
  return { required: true, content: { 'application/json': { schema: schemaOf(schema, 'input') } } };
}

function parametersOf(where: 'path' | 'query' | 'header', object: z.ZodObject | undefined): Json[] {
  return Object.entries<z.ZodType>(object?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: where,
    required: where === 'path',
    schema: schemaOf(schema, 'input'),
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io }) as Json;
  return json;
}
