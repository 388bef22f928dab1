import { constants } from 'node:crypto';
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { keyExchanges } from '../../src/tls/key-exchanges.ts';
import type { LivePair } from '../live-config/server-files.ts';

/** How long a peer may take; tests shorten it. */
export interface HttpPace {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** For a whole request, with its body. */
  readonly requestMs: number;
  /** Between two requests of one connection. */
  readonly idleMs: number;
  /** To take the rest of an answer that is complete. */
  readonly takenMs: number;
  /** To take more of a stream of events. */
  readonly stalledMs: number;
}

export const httpPace: HttpPace = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 15_000,
  takenMs: 60_000,
  stalledMs: 30_000,
};

export const headerBytes = 16 * 1024;

/** A server that waits for no peer for ever, and reads no more of one than it must. */
export function nodeServer(handle: RequestListener, tls: LivePair | undefined, pace: HttpPace): Server {
  const options: ServerOptions = {
    maxHeaderSize: headerBytes,
    headersTimeout: pace.headersMs,
    requestTimeout: pace.requestMs,
    keepAliveTimeout: pace.idleMs,
    connectionsCheckingInterval: Math.min(1000, pace.headersMs),
    insecureHTTPParser: false,
    // Node would answer by itself, and go on with what follows.
    requireHostHeader: false,
    noDelay: true,
  };
  const server = tls === undefined ? createServer(options, handle) : secureServer(options, handle, tls, pace);
  // Node would drop what is beyond a count, without a word; the bytes of all headers are bounded.
  server.maxHeadersCount = 0;
  server.on('request', (_request, response) => endIfNotTaken(response, pace.takenMs));
  // Node would ask for the body, or refuse, before anybody knows who calls.
  for (const expecting of ['checkContinue', 'checkExpectation'])
    server.on(expecting, (request, response) => void server.emit('request', request, response));
  return server;
}

/** New connections get what `tls` says then. */
function secureServer(
  options: ServerOptions,
  handle: RequestListener,
  tls: LivePair,
  { headersMs: handshakeTimeout }: HttpPace,
): Server {
  const context = () => {
    const { certificate: cert, key } = tls.now();
    // A resumed session would go on behind the end of what it began with.
    const secureOptions = constants.SSL_OP_NO_TICKET;
    return { cert, key, minVersion: 'TLSv1.2', ecdhCurve: keyExchanges, secureOptions } as const;
  };
  const server = createSecureServer({ ...options, ...context(), handshakeTimeout }, handle);
  tls.watch(() => server.setSecureContext(context()));
  return server;
}

/** An answer that nobody reads must not hold its memory and its connection. */
function endIfNotTaken(response: ServerResponse, takenMs: number): void {
  let timer: NodeJS.Timeout | undefined;
  response.once('prefinish', () => {
    timer = setTimeout(() => response.socket?.destroy(), takenMs).unref();
  });
  response.once('close', () => clearTimeout(timer));
}
