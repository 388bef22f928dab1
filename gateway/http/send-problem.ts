import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Faults } from '../../src/faults.ts';
import { routes } from '../../src/http-api/routes.ts';
import { HttpRefused, type ProblemAnswer, problemType, toProblem } from './problem.ts';
import { bodyBytes } from './read-body.ts';

/** Answers with the problem; what nobody foresaw is reported, and its words stay here. */
export function sendProblem(faults: Faults) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = toProblem(error);
    if (answer.problem.status === 500) faults.report(`HTTP ${request.routeOptions.url ?? ''}`, error);
    answerWith(answer, request, reply);
  };
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
export function refuseUnknown(request: FastifyRequest): never {
  const [path = ''] = request.url.split('?', 1);
  const methods = Object.values(routes).flatMap((route) =>
    isPathOf(route.path, path) ? [route.method] : [],
  );
  if (methods.length === 0) throw new HttpRefused(404, 'there is nothing at this path');
  const allow = [...new Set(methods)].join(', ');
  throw new HttpRefused(405, `this path takes ${allow}`, { allow });
}

function isPathOf(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern.split('/'), path.split('/')];
  return (
    wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at])
  );
}

const lingerMs = 1000;

/** By the code of Node's parser; what it cannot read is no request. */
const broken: ReadonlyMap<string, [number, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'the headers have more than 16 KiB']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request took too long']],
]);

/** Answers what never became a request, and ends its connection. */
export function answerBroken(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return void socket.destroy();
  // More of what cannot be read: it is taken, because an end with bytes left would take the answer with it.
  if (socket.writableEnded) return;
  const [status, detail] = broken.get(error.code ?? '') ?? [400, 'this is no HTTP request that can be read'];
  const { problem } = toProblem(new HttpRefused(status, detail));
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${problemType}`,
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
