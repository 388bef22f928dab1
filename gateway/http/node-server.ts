import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { HttpConfig } from '../../src/config/gateway-config.ts';

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

export interface Tls {
  readonly cert: string;
  readonly key: string;
  readonly certificate: X509Certificate;
}

/** Throws a line that names the file if one of them cannot be used. */
export function readTls({ tls }: HttpConfig): Tls | undefined {
  if (tls === undefined) return undefined;
  const [cert, key] = [readPem(tls.cert, 'http.tls.cert'), readPem(tls.key, 'http.tls.key')];
  try {
    return { cert, key, certificate: new X509Certificate(cert) };
  } catch {
    throw new Error(`${tls.cert} of http.tls.cert holds no certificate that can be read`);
  }
}

function readPem(file: string, key: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${key}: ${(error as Error).message}`, { cause: error });
  }
}

/** A server that waits for no peer for ever, and reads no more of one than it must. */
export function nodeServer(handle: RequestListener, tls: Tls | undefined, pace: HttpPace): Server {
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
  const server =
    tls === undefined
      ? createServer(options, handle)
      : createSecureServer(
          {
            ...options,
            cert: tls.cert,
            key: tls.key,
            minVersion: 'TLSv1.2',
            handshakeTimeout: pace.headersMs,
          },
          handle,
        );
  // Node would drop what is beyond a count, without a word; the bytes of all headers are bounded.
  server.maxHeadersCount = 0;
  server.on('request', (_request, response) => endIfNotTaken(response, pace.takenMs));
  // Node would ask for the body, or refuse, before anybody knows who calls.
  for (const expecting of ['checkContinue', 'checkExpectation'])
    server.on(expecting, (request, response) => void server.emit('request', request, response));
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
