import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Faults } from '../../src/faults.ts';
import type { Route } from '../../src/http-api/route.ts';
import { bodyBytes } from '../connections/open-requests.ts';
import type { Callers } from './callers.ts';
import { HttpRefused, type ProblemAnswer, problemType, toProblem } from './problem.ts';

/**
 * Answers with the problem; what nobody foresaw is reported, and its words stay here. Whatever refuses a request before
 * it is known who calls, it is charged here.
 */
export function sendProblem(faults: Faults, callers: Pick<Callers, 'chargeStranger'>) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    // It went away within its body: that is foreseen, and there is nobody to answer.
    if (request.raw.destroyed && !request.raw.complete) return void reply.hijack().raw.destroy();
    const answer = toProblem(tooSoon(request, callers) ?? error, request.routeOptions.bodyLimit);
    if (answer.problem.status === 500) faults.report(`HTTP ${request.routeOptions.url ?? ''}`, error);
    answerWith(answer, request, reply);
  };
}

function tooSoon({ raw }: FastifyRequest, { chargeStranger }: Pick<Callers, 'chargeStranger'>): unknown {
  try {
    chargeStranger(raw);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Node takes what is left of a body and drops it: an end with bytes left would take the answer with it. A body that
 * may be longer than any of ours ends its connection.
 */
export function answerWith(
  { problem, headers }: ProblemAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const mayGoOn = request.raw.complete || Number(request.headers['content-length']) <= bodyBytes;
  void reply
    .code(problem.status)
    .headers({ ...headers, ...(mayGoOn ? {} : { connection: 'close' }) })
    .type(problemType)
    .send(JSON.stringify(problem));
}

/** A path that is not there, or not by this method. */
export function refuseUnknown(routes: readonly Pick<Route, 'method' | 'path'>[]) {
  const known = routes.map(({ method, path }) => ({ method, wanted: path.split('/') }));
  const longest = Math.max(...known.map(({ wanted }) => wanted.length));
  return (request: FastifyRequest): never => {
    const [path = ''] = request.url.split('?', 1);
    // A stranger may send a path of thousands of parts.
    const parts = path.split('/', longest + 1);
    const methods = known.flatMap(({ method, wanted }) => (isPathOf(wanted, parts) ? [method] : []));
    if (methods.length === 0) throw new HttpRefused(404, 'there is nothing at this path');
    const allow = [...new Set(methods)].join(', ');
    throw new HttpRefused(405, `this path takes ${allow}`, { allow });
  };
}

function isPathOf(wanted: readonly string[], parts: readonly string[]): boolean {
  return (
    wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at])
  );
}
