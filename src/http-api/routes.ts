import type { z } from 'zod';
import { executionEvent, executionRequest, finishedExecution } from './executions.ts';
import { health, status } from './status.ts';

/** One method of one path: who may call it is in the gateway's table of roles, under `METHOD PATH`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  /** For people. */
  readonly does: string;
  /** Anybody may call it, without a token. */
  readonly open?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly answer: z.ZodType;
  /** What each line of `application/x-ndjson` is, if the caller asks for that. */
  readonly lines?: z.ZodType;
}

export const routes = {
  health: { method: 'GET', path: '/healthz', does: 'the gateway is there', open: true, answer: health },
  ready: {
    method: 'GET',
    path: '/readyz',
    does: 'the gateway takes new work, or 503 says why not',
    answer: health,
  },
  status: {
    method: 'GET',
    path: '/api/v1/status',
    does: 'what the gateway knows of its own health',
    answer: status,
  },
  runExecution: {
    method: 'POST',
    path: '/api/v1/executions',
    does: 'runs a command; answers when it has ended, or streams what happens (application/x-ndjson)',
    body: executionRequest,
    answer: finishedExecution,
    lines: executionEvent,
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Shaped<R, Key extends string, None> = R extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : None;

export type ParamsOf<R> = Shaped<R, 'params', undefined>;
export type QueryOf<R> = Shaped<R, 'query', undefined>;
export type BodyOf<R> = Shaped<R, 'body', undefined>;
export type AnswerOf<R extends Route> = z.input<R['answer']>;

/** As the table of roles names it. */
export function callOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
