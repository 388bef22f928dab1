import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';

/** Servers of pages, some of them hostile. `/page/KIND?…`. */
export async function answerPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://page');
  const said = (name: string) => url.searchParams.get(name) ?? '';
  // A wait for a drain is one for its end, too.
  response.setMaxListeners(0);
  const type = said('type') || 'text/plain';
  switch (url.pathname.slice('/page/'.length)) {
    case 'to':
      return void response.writeHead(Number(said('status') || 302), { Location: said('url') }).end('moved');
    case 'hops': {
      const left = Number(said('left'));
      if (left === 0) return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('arrived');
      return void response.writeHead(302, { Location: `/page/hops?left=${left - 1}` }).end();
    }
    case 'text':
      return void response
        .writeHead(Number(said('status') || 200), { 'Content-Type': type })
        .end(said('text'));
    case 'untyped':
      return void response.writeHead(200).end('something');
    case 'packed':
      return packed(response, said('as'), Number(said('bytes')));
    case 'bomb':
      return bomb(response, Number(said('mib')));
    case 'broken':
      return void response
        .writeHead(200, { 'Content-Type': type, 'Content-Encoding': said('as') })
        .end('this is not packed at all');
    case 'endless':
      return endless(response, Buffer.alloc(65_536, 'x'), 0);
    case 'drip':
      return endless(response, Buffer.from('x'), 300);
    case 'stuck':
      response.writeHead(200, { 'Content-Type': type }).write('a beginning');
      return;
    default:
      response.writeHead(404, { 'Content-Type': type }).end('no such page');
  }
}

function packed(response: ServerResponse, as: string, bytes: number): void {
  const body = Buffer.alloc(bytes, 'abcdefgh');
  const how = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[as];
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': as });
  response.end(how === undefined ? body : how(body));
}

/** A thousandth of that on the wire. */
async function bomb(response: ServerResponse, mib: number): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' });
  const gzip = createGzip().setMaxListeners(0);
  gzip.pipe(response);
  for (let sent = 0; sent < mib && !response.destroyed; sent += 1)
    if (!gzip.write(Buffer.alloc(1024 * 1024)))
      await Promise.race([once(gzip, 'drain'), once(response, 'close')]);
  gzip.end();
}

async function endless(response: ServerResponse, chunk: Buffer, pauseMs: number): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  while (!response.destroyed) {
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    await sleep(pauseMs);
  }
}
