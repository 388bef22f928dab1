import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { answerHeaders } from './browser/page-headers.ts';
import { HttpRefused, problemType, toProblem } from './problem.ts';

/** Bytes that Node's parser cannot read as a request. */
export interface BrokenRequests {
  /** The same listener, which lets it be known what has no answer yet. */
  readonly watch: (handle: RequestListener) => RequestListener;
  /** What follows on this connection is no request: where the last one ended can be read in two ways. */
  readonly takeNoMore: (socket: Socket) => void;
  /** Calls `listener` with each connection that brings a request while another one has no answer, and is ended. */
  readonly onCrowd: (listener: (socket: Socket) => void) => void;
  /** Ends the connection, with a problem if that cannot be taken for the answer to another request. */
  readonly answer: (error: Error & { readonly code?: string }, socket: Socket) => void;
}

interface Open {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const lingerMs = 1000;

/** By the code of Node's parser; what it cannot read is no request. */
const broken: ReadonlyMap<string, [number, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'the headers have more than 16 KiB']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request took too long']],
]);

export function createBrokenRequests(): BrokenRequests {
  const openOf = new WeakMap<Socket, Set<Open>>();
  const over = new WeakSet<Socket>();
  let crowded = (_socket: Socket): void => {};
  const end = (socket: Socket): void => {
    if (socket.destroyed) return;
    crowded(socket);
    socket.destroy();
  };
  return {
    watch: (handle) => (request, response) => {
      const { socket } = request;
      const open = openOf.get(socket) ?? new Set();
      // Nobody waits for answers in a row; what a proxy before us has not seen as a request comes like this.
      if (open.size > 0 || over.has(socket)) return end(socket);
      const one = { request, response };
      openOf.set(socket, open.add(one));
      response.once('close', () => open.delete(one));
      handle(request, response);
    },
    takeNoMore: (socket) => void over.add(socket),
    onCrowd: (listener) => {
      crowded = listener;
    },
    answer: (error, socket) => {
      if (error.code === 'ECONNRESET' || socket.destroyed) return void socket.destroy();
      // More of what cannot be read: it is taken, because an end with bytes left would take the answer with it.
      if (socket.writableEnded) return;
      if (!isOfItsOwn([...(openOf.get(socket) ?? [])])) return void socket.destroy();
      socket.end(answerTo(error.code ?? ''));
      setTimeout(() => socket.destroy(), lingerMs).unref();
    },
  };
}

/** What is broken is the only thing that waits for an answer: a request of which the rest is missing, or none yet. */
function isOfItsOwn([first]: readonly Open[]): boolean {
  return first === undefined || (!first.request.complete && !first.response.headersSent);
}

function answerTo(code: string): string {
  const [status, detail] = broken.get(code) ?? [400, 'this is no HTTP request that can be read'];
  const body = JSON.stringify(toProblem(new HttpRefused(status, detail)).problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${problemType}`,
    `content-length: ${body.length}`,
    'connection: close',
    ...Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
