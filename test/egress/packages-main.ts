import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';

/**
 * What clients of packages ask, over TLS on port 443: an index for pip at /simple/, modules for go at /go/, a page, and
 * git's repositories in FOLDER, for reading and writing. FOLDER has `cert`, `key` and the files of both.
 */
const [folder = ''] = process.argv.slice(2);
const [cert, key] = await Promise.all(['cert', 'key'].map((name) => readFile(join(folder, name))));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'https://packages.example');
  if (pathname.includes('.git/')) return await answerGit(request, response);
  const wheel = 'tiny-1.0-py3-none-any.whl';
  if (pathname === '/simple/tiny/')
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<a href="/${wheel}">${wheel}</a>`);
  else if (pathname === `/${wheel}`) response.writeHead(200).end(await readFile(join(folder, wheel)));
  else if (pathname.startsWith('/go/'))
    response.end(await readFile(join(folder, decodeURIComponent(pathname))));
  else if (pathname === '/page') response.end('a page\n');
  else response.writeHead(404).end();
}

/** Git's own server, by CGI. */
async function answerGit(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://git.example');
  const {
    'content-type': type = '',
    'content-encoding': coding = '',
    'git-protocol': version,
  } = request.headers;
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...{
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'agent',
      },
      ...{ PATH_INFO: pathname, QUERY_STRING: String(searchParams), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: type, HTTP_CONTENT_ENCODING: coding, GIT_PROTOCOL: String(version ?? '') },
    },
  });
  backend.stdin.on('error', () => {});
  request.pipe(backend.stdin);
  const rest = await readHead(backend, response);
  response.write(rest);
  backend.stdout.pipe(response);
  await once(backend, 'close');
}

/** The headers of a CGI program; returns what came behind them. */
async function readHead(
  { stdout }: ChildProcessWithoutNullStreams,
  response: ServerResponse,
): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (!head.includes('\r\n\r\n')) {
    const chunk = stdout.read() as Buffer | null;
    if (chunk !== null) head = Buffer.concat([head, chunk]);
    else await once(stdout, 'readable');
  }
  const end = head.indexOf('\r\n\r\n');
  const lines = head.toString('latin1', 0, end).split('\r\n');
  const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
  const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
  response.writeHead(Number(status.slice(0, 3)), Object.fromEntries(headers));
  return head.subarray(end + 4);
}

createServer({ cert, key }, (request, response) => {
  void answer(request, response).catch(() => response.destroy());
}).listen(443, '::', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());
