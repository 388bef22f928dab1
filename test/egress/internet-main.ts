import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startDns, type Zone } from './dns-server.ts';
import { answerPage } from './fetch-pages.ts';
import { startRaw } from './raw-server.ts';

/** Of the namespace that is the internet, and every inside network: it has every address. */
export type InternetOrder =
  | { readonly zone: Zone }
  | { readonly tell: 'seen' }
  | { readonly tls: ServerFiles };

interface ServerFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Seen {
  /** `ADDRESS:PORT` of each connection that came. */
  readonly connections: readonly string[];
  readonly asked: readonly string[];
  /** Of each request over HTTP. */
  readonly requests: readonly SeenRequest[];
  /** Bytes of each connection to port 81 that has ended. */
  readonly raw: readonly string[];
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

const connections: string[] = [];
const requests: SeenRequest[] = [];
const dns = startDns();

/** They say to which address somebody came, and end. */
for (const port of [22, 2375, 4873])
  createServer((socket) => {
    note(socket);
    socket.end(`${socket.localAddress}\n`);
  }).listen(port, '::');

/** What it gets comes back. */
createServer({ allowHalfOpen: true }, (socket) => {
  note(socket);
  socket.pipe(socket);
}).listen(7, '::');

/** It sends for ever, and counts. */
createServer((socket) => {
  note(socket);
  const more = () => {
    while (socket.writable && socket.write(Buffer.alloc(65_536, 'x')));
  };
  socket.on('drain', more);
  more();
}).listen(19, '::');

/** A client that is cut off ends its own answer only. */
const serve: RequestListener = (request, response) =>
  void answer(request, response).catch(() => response.destroy());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', rawHeaders } = request;
  if (url.endsWith('/stream')) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    // As it comes: each part of the body is answered before the next one.
    for await (const chunk of request) response.write(`data: ${String(chunk)}\n\n`);
    response.end('data: end\n\n');
    return;
  }
  if (url.endsWith('/reset')) return void request.socket.resetAndDestroy();
  const body = await text(request).catch(() => 'cut');
  requests.push({ method, url, rawHeaders, body });
  if (url.startsWith('/page/')) return await answerPage(request, response);
  if (url.endsWith('/redirect')) response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
  else if (url.endsWith('/echo-headers')) response.writeHead(200, echoed(rawHeaders)).end('fine');
  else if (url.endsWith('/silent')) return;
  else
    response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Own': 'yes' }).end(`${method} ${url} ${body}`);
}

createHttpServer(serve).on('connection', note).listen(80, '::');
createHttpServer(serve).on('connection', note).listen(8080, '::');
const rawServer = startRaw(81, note);

/** A company's proxy: it knows where names lead. */
createHttpServer((_request, response) => void response.writeHead(405).end())
  .on('connection', note)
  .on('connect', ({ method = '', url = '', rawHeaders }, socket: Socket) => {
    requests.push({ method, url, rawHeaders, body: '' });
    if (url.startsWith('forbidden')) return socket.end('HTTP/1.1 407 No\r\n\r\n');
    socket.write('HTTP/1.1 200 Fine\r\n\r\n');
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1');
    onward.on('error', () => socket.destroy());
    onward.pipe(socket).pipe(onward);
  })
  .listen(3128, '::');

function echoed(raw: readonly string[]): Record<string, string> {
  const entries = raw.flatMap((name, at) =>
    at % 2 === 0 && /^(x-|auth)/i.test(name) ? [[`X-Echo-${name}`, raw[at + 1] ?? ''] as const] : [],
  );
  const own = raw.flatMap((name, at) =>
    at % 2 === 0 && /^x-api-key/i.test(name) ? [[name, raw[at + 1]]] : [],
  );
  return Object.fromEntries([...entries, ...own, ['X-Fine', 'yes']]) as Record<string, string>;
}

function note(socket: Socket): void {
  socket.on('error', () => {});
  connections.push(`${socket.localAddress?.replace(/^::ffff:/, '')}:${socket.localPort}`);
}

function startTls(files: ServerFiles): void {
  createTlsServer(files, serve).on('connection', note).listen(443, '::');
}

process.on('message', (order: InternetOrder) => {
  if ('zone' in order) dns.zone = order.zone;
  if ('tls' in order) startTls(order.tls);
  const seen = {
    connections: connections.splice(0),
    asked: dns.asked.splice(0),
    requests: requests.splice(0),
    raw: rawServer.take(),
  };
  process.send?.(seen satisfies Seen);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
