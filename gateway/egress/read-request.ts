import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { abortable, deadline } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { isDisguised } from './http-headers.ts';

/** What a client of the way out wants: a tunnel, with what it has sent already, or an answer to one request. */
export type Asked =
  | { readonly is: 'tunnel'; readonly request: IncomingMessage; readonly head: Buffer }
  | { readonly is: 'request'; readonly request: IncomingMessage; readonly response: ServerResponse };

const withinMs = 30_000;
const mostHeaderBytes = 16 * 1024;

/**
 * The one request of a connection, by Node's parser at its strictest. Whatever the client sends behind it is not read
 * as another.
 */
export async function readRequest(client: Duplex, signal: AbortSignal): Promise<Asked> {
  const { promise, resolve, reject } = Promise.withResolvers<Asked>();
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: mostHeaderBytes,
    highWaterMark: 65_536,
    keepAliveTimeout: 1,
  });
  server.maxRequestsPerSocket = 1;
  server.on('connect', (request, _socket, head) => resolve({ is: 'tunnel', request, head }));
  server.on('upgrade', () => reject(new EgressError('invalid', 'a connection is not upgraded here')));
  server.on('request', (request, response) => resolve({ is: 'request', request, response }));
  const broken: NodeJS.ErrnoException[] = [];
  server.on('clientError', (error) => {
    broken.push(error);
    // Of later requests nobody hears.
    reject(noRequest(error));
  });
  const ended = () => reject(new EgressError('invalid', 'it ended before its request'));
  client.once('close', ended);
  server.emit('connection', client);
  const late = () => new EgressError('late', `no request came within ${withinMs / 1000} s`);
  using until = deadline(withinMs, late, signal);
  const asked = checked(await abortable(promise, until.signal));
  client.off('close', ended);
  const [error] = broken;
  if (error !== undefined && !asked.request.complete) throw noRequest(error);
  // Node leaves it to us to end a request whose rest cannot be read: it would be waited for.
  server.on('clientError', (later) => {
    if (!asked.request.complete) asked.request.destroy(later);
  });
  return asked;
}

function noRequest({ message, code = message }: NodeJS.ErrnoException): EgressError {
  return new EgressError('invalid', 'this is not a request of HTTP/1.1', code);
}

/** What the parser lets pass, and another one may read otherwise. */
function checked(asked: Asked): Asked {
  const { rawHeaders, headers, httpVersion } = asked.request;
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  for (const name of ['host', 'content-length', 'transfer-encoding'])
    if (names.filter((other) => other === name).length > 1) throw wrong(`the header ${name} twice`);
  const disguised = names.find(isDisguised);
  if (disguised !== undefined) throw wrong(`the header ${disguised}, which some servers take for another,`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion !== '1.1'))
    throw wrong('a transfer-encoding other than chunked');
  if (coding !== undefined && names.includes('content-length')) throw wrong('two lengths');
  if (names.includes('trailer')) throw wrong('trailers');
  if (names.includes('upgrade')) throw wrong('an upgrade');
  if (asked.is === 'tunnel' && (coding !== undefined || names.includes('content-length')))
    throw wrong('a body of CONNECT');
  return asked;
}

function wrong(what: string): EgressError {
  return new EgressError('invalid', `a request with ${what} is refused`);
}
