import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boundAnswers } from '../../../src/container/bounded-answers.ts';
import { attach } from '../container/attach.ts';
import { sparedContainers, startingContainers } from '../container/starting-containers.ts';
import { fillInitVolume } from '../init/init-volume.ts';
import { toEngineError } from './engine-errors.ts';
import { getJson } from './get-json.ts';

const mebibyte = 1024 * 1024;
let server: Server;
let docker: Docker;
let sent = 0;

/** An engine that answers without end, but for some paths. */
beforeEach(async () => {
  sent = 0;
  server = createServer((request, response) => {
    response.on('error', () => {});
    if (request.url === '/deep') return void response.end(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    if (request.url?.includes('null')) {
      response.statusCode = request.method === 'GET' ? 500 : 201;
      return void response.end('null');
    }
    if (request.url === '/small') return void response.end(JSON.stringify({ is: 'small' }));
    if (/networks|volumes\?long|images\/one\/json/.test(request.url ?? ''))
      return void response.end(JSON.stringify(['x'.repeat(mebibyte), 'x'.repeat(mebibyte)]));
    if (request.url === '/text') return void response.end('OK');
    if (request.url?.startsWith('/volumes')) return void response.end(JSON.stringify({ Mountpoint: '/v' }));
    if (request.method === 'DELETE') return void response.writeHead(204).end();
    if (request.url?.startsWith('/containers/create')) return void response.writeHead(404).end();
    if (request.url?.startsWith('/containers/taken/')) return void response.end('OK');
    response.statusCode = statusOf(request.url ?? '');
    if (request.url === '/images/absent/json')
      return void response.end(JSON.stringify({ message: 'No such image: absent' }));
    const more = () => {
      while (!response.destroyed && sent < 200 * mebibyte) {
        sent += mebibyte;
        if (!response.write(Buffer.alloc(mebibyte, ' '))) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  docker = boundAnswers(new Docker({ protocol: 'http', host: '127.0.0.1', port }));
});

function statusOf(path: string): number {
  if (path.startsWith('/images/create')) return 200;
  if (path.startsWith('/images/')) return 404;
  return /attach|start/.test(path) ? 500 : 200;
}

const hijacked = { hijack: true, stdin: true } as const;
const one = Buffer.alloc(1);
const never = new AbortController().signal;

function fillVolume(): Promise<unknown> {
  const files = { init: one, carrier: one, connect: one };
  const starting = startingContainers(sparedContainers());
  return fillInitVolume({ docker, gatewayId: 'g', starting, files }, false);
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('an answer is what it was: JSON, bytes, or an error with what the engine says', async () => {
  expect(await getJson(docker, '/small', 5000)).toEqual({ is: 'small' });
  expect(await getJson(docker, '/text', 5000)).toEqual(Buffer.from('OK'));
  await expect(docker.getImage('absent').inspect()).rejects.toMatchObject({
    statusCode: 404,
    json: { message: 'No such image: absent' },
    message: expect.stringContaining('No such image: absent'),
  });
});

test('A-523: JSON that would cost the thread much counts as a broken engine', async () => {
  await expect(getJson(docker, '/deep', 5000)).rejects.toThrow('JSON that no engine makes');
});

test.each([
  ['info', () => docker.info()],
  ['a list', () => docker.listContainers()],
  ['a start', () => docker.getContainer('x').start()],
  ['an error', () => docker.getImage('y').inspect()],
  ['the error of a stream', () => docker.getImage('y').get()],
  ['an attach', () => attach(docker.getContainer('x'), never)],
  ['the start of an exec', () => docker.getExec('x').start(hijacked)],
  ['an import', fillVolume],
])('A-324 A-371 P20: an engine that answers %s without end is broken off', async (_what, call) => {
  const failure: unknown = await call().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^its engine answers with more than \d+ bytes$/),
  });
  expect(toEngineError(failure, 'h').code).toBe('host-lost');
  expect(sent).toBeLessThan(64 * mebibyte);
});

test('A-575 P20: a call that an engine answers with null ends', async () => {
  const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);
  expect(await failure(docker.getContainer('null').inspect())).toMatchObject({ statusCode: 500 });
  const made = await docker.createContainer({ name: 'null', Image: 'x' });
  expect(made.id).toBeUndefined();
  expect((await docker.createVolume({ Name: 'x', ...{ _query: { name: 'null' } } })).name).toBeUndefined();
});

test('A-371 P24: an engine that answers an attach and does not hand over the connection is broken', async () => {
  const attached = docker.getContainer('taken').attach({ ...hijacked, stream: true });
  const failure: unknown = await attached.catch((error: unknown) => error);
  expect(toEngineError(failure, 'h')).toMatchObject({
    ...{ code: 'host-lost', message: expect.stringContaining('does not hand over the connection') },
  });
});

test('P24: a call that is aborted while its answer comes ends at once', async () => {
  const stop = new AbortController();
  server.removeAllListeners('request');
  server.on('request', (_request, response) => void response.write('{"half":'));
  const call = docker.listContainers({ abortSignal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  await expect(call).rejects.toThrow('aborted');
});

test('what is read as it comes has no bound', async () => {
  const stream = (await docker.getEvents()) as NodeJS.ReadableStream & { destroy: () => void };
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    if (bytes > 20 * mebibyte) break;
  }
  expect(bytes).toBeGreaterThan(20 * mebibyte);
});

test('A-395: a list may be long, and what is said of one thing may not', async () => {
  for (const path of ['/networks', '/v1.41/networks?filters=x'])
    expect(await getJson(docker, path, 5000)).toHaveLength(2);
  await expect(getJson(docker, '/images/one/json', 5000)).rejects.toThrow(/more than 1048576 bytes/);
  // it is parsed in one piece.
  await expect(getJson(docker, '/volumes?long=1', 5000)).rejects.toThrow(/more than 2097152 bytes/);
});
