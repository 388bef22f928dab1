import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { abortable } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { isDisguised } from './http-headers.ts';

/** What a client of the way out wants: a tunnel, with what it has sent already, or an answer to one request. */
export type Asked =
  | { readonly is: 'tunnel'; readonly request: IncomingMessage; readonly head: Buffer }
  | { readonly is: 'request'; readonly request: IncomingMessage; readonly response: ServerResponse };

const withinMs = 30_000;
const mostHeaderBytes = 16 * 1024;

/** The one request of a connection, by Node's parser at its strictest. A second one ends the connection. */
export type ReadRequest = (client: Duplex, signal: AbortSignal) => Promise<Asked>;

interface Reading extends PromiseWithResolvers<Asked> {
  /** The first error of the parser, also behind a request. */
  broken?: NodeJS.ErrnoException;
  asked?: Asked;
  /** The parser has seen a request. */
  isTaken?: true;
}

/** One server that listens nowhere parses the requests of all connections. */
export function createRequestReader(): ReadRequest {
  const readings = new WeakMap<Duplex, Reading>();
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: mostHeaderBytes,
    highWaterMark: 65_536,
    keepAliveTimeout: 1,
  });
  server.maxRequestsPerSocket = 1;
  // Beyond a count some versions of Node drop headers and still read the body by them; the bytes of all are bounded.
  server.maxHeadersCount = 0;
  const first = (socket: Duplex) => takeFirst(readings.get(socket), socket);
  server.on('connect', (request, socket, head) => first(socket)?.resolve({ is: 'tunnel', request, head }));
  server.on('upgrade', (_request, socket) =>
    first(socket)?.reject(new EgressError('invalid', 'a connection is not upgraded here')),
  );
  server.on('request', (request, response) =>
    first(request.socket)?.resolve({ is: 'request', request, response }),
  );
  // `maxRequestsPerSocket` counts those of HTTP/1.1 only.
  server.on('dropRequest', (_request, socket) => first(socket));
  server.on('clientError', (error, socket) => {
    const reading = readings.get(socket);
    if (reading !== undefined) breakOff(reading, error);
  });
  return async (client, signal) => {
    const reading: Reading = Promise.withResolvers<Asked>();
    readings.set(client, reading);
    const ended = () => reading.reject(new EgressError('invalid', 'it ended before its request'));
    client.once('close', ended);
    server.emit('connection', client);
    const late = () => reading.reject(new EgressError('late', `no request came within ${withinMs / 1000} s`));
    using _ = setTimeout(late, withinMs);
    const asked = checked(await abortable(reading.promise, signal));
    if (client.errored instanceof EgressError) throw client.errored;
    client.off('close', ended);
    if (reading.broken !== undefined && !asked.request.complete) throw noRequest(reading.broken);
    reading.asked = asked;
    return asked;
  };
}

/** The parser takes as many as come, and Node keeps each until the first is answered. */
function takeFirst(reading: Reading | undefined, socket: Duplex): Reading | undefined {
  if (reading?.isTaken === undefined) {
    if (reading !== undefined) reading.isTaken = true;
    return reading;
  }
  socket.destroy(new EgressError('invalid', 'a connection takes one request, and this has brought a second'));
  return undefined;
}

/** Node leaves it to us to end a request whose rest cannot be read: it would be waited for. */
function breakOff(reading: Reading, error: NodeJS.ErrnoException): void {
  const { asked } = reading;
  if (asked !== undefined && !asked.request.complete) asked.request.destroy(error);
  reading.broken ??= error;
  // Of later requests nobody hears.
  reading.reject(noRequest(error));
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
