import { expect } from 'vitest';
import { z } from 'zod';
import { type Problem, problem } from '../../src/http-api/problem.ts';
import type { Route } from '../../src/http-api/route.ts';
import { type AnswerOf, type RouteName, type Routes, routes } from '../../src/http-api/routes.ts';
import { described } from './described.ts';
import type { HttpGateway } from './http-gateway.ts';

const api = described();

export interface Asked {
  readonly token?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The answer of a route, held to the route's own shape and to its description; so are problems. */
export async function ask<Name extends RouteName>(
  door: HttpGateway,
  name: Name,
  { token, params = {}, query = {}, body }: Asked = {},
): Promise<{ readonly answer: AnswerOf<Routes[Name]> } | { readonly problem: Problem }> {
  const route: Route = routes[name];
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '');
  const text = new URLSearchParams(query).toString();
  const response = await door.fetch(text === '' ? path : `${path}?${text}`, {
    method: route.method,
    ...(token !== undefined && { token }),
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const isText = response.ok && route.text !== undefined;
  const told: unknown = await (isText ? response.text() : response.json());
  const type = isText ? 'text/plain' : 'application/json';
  const faults = response.ok ? api.faultsOf(name, type, told) : api.faultsOfProblem(told);
  expect(faults).toEqual([]);
  if (response.ok) return { answer: (route.answer ?? z.never()).parse(told) as AnswerOf<Routes[Name]> };
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return { problem: problem.parse(told) };
}

/** The same, if it has to be an answer. */
export async function answerOf<Name extends RouteName>(
  door: HttpGateway,
  name: Name,
  asked?: Asked,
): Promise<AnswerOf<Routes[Name]>> {
  const told = await ask(door, name, asked);
  if ('problem' in told) throw new Error(`${name}: ${JSON.stringify(told.problem)}`);
  return told.answer;
}
