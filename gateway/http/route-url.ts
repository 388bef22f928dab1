import type { Route } from '../../src/http-api/route.ts';

/** The path of a route as fastify writes it. */
export function routeUrl({ path }: Pick<Route, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
