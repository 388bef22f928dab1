import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DoorSite, reach, startDoor } from './door-site.ts';
import { mayMakeNamespaces } from './two-namespaces.ts';

describe.skipIf(!mayMakeNamespaces)('the way out', () => {
  let site: DoorSite;
  beforeAll(async () => {
    site = await startDoor();
  });
  afterAll(() => site[Symbol.asyncDispose]());
  beforeEach(() => site.reset());

  it('carries bytes both ways, and each side may end first', async () => {
    const socket = await site.tunnel('registry.example:7');
    const bytes = randomBytes(3_000_000);
    socket.end(bytes);
    expect((await buffer(socket)).equals(bytes)).toBe(true);
    const { records } = await site.order({ tell: 'all' });
    expect(records).toMatchObject([
      {
        ...{ type: 'connection', execution: 'e-1', agent: 'coder', network: 'registry', route: '' },
        ...{
          to: 'registry.example:7',
          address: '20.0.0.1',
          outcome: 'closed',
          up: 3_000_000,
          down: 3_000_000,
        },
      },
    ]);
  });

  it.each([
    ['a name', 'CONNECT hidden-word.example:443 HTTP/1.1\r\n\r\n', { to: '***.example:443', route: '' }],
    ['a route', 'GET /hidden-word/x HTTP/1.1\r\nHost: x\r\n\r\n', { route: '***' }],
  ])('A-289 P14: keeps and tells no secret that stands in %s', async (_what, request, kept) => {
    await site.say(request);
    const facts = await site.order({ tell: 'all' });
    expect(facts.records).toMatchObject([kept]);
    expect(JSON.stringify([facts.records, facts.refused])).toContain('***');
    expect(JSON.stringify([facts.records, facts.refused])).not.toContain('hidden-word');
  });

  it.each([
    ['a target', `GET ${'https://x/'.padEnd(250, 'x')}hidden-word HTTP/1.1`],
    ['a target of CONNECT', `CONNECT ${'x'.repeat(250)}hidden-word HTTP/1.1`],
    ['a name', `CONNECT ${'a'.repeat(50)}.${'a'.repeat(63)}.hidden-word.example:443 HTTP/1.1`],
    [
      'a line',
      `GET http://${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(41)}.hidden-word.x:443/ HTTP/1.1`,
    ],
  ])('A-296 P14: keeps and tells no part of a secret where %s is cut', async (_what, request) => {
    await site.say(`${request}\r\nHost: x\r\n\r\n`);
    const { records, refused } = await site.order({ tell: 'all' });
    expect(records).toHaveLength(1);
    expect(JSON.stringify([records, refused])).not.toContain('hid');
  });

  it('carries TLS to the server that its hello names, and it is the server itself that answers', async () => {
    const socket = await site.tunnel('registry.example:443');
    const tls = tlsConnect({ socket, servername: 'registry.example', ca: site.ca });
    tls.end('GET /x HTTP/1.1\r\nHost: registry.example\r\nConnection: close\r\n\r\n');
    expect((await buffer(tls)).toString()).toContain('GET /x ');
  });

  it.each([
    ['another server', { servername: 'other.example' }],
    ['no server', {}],
  ])('ends a tunnel to 443 whose hello names %s, with the alert that says so', async (named, options) => {
    const socket = await site.tunnel('registry.example:443');
    const tls = tlsConnect({ socket, ca: site.ca, ...options });
    const [error] = (await once(tls, 'error')) as [Error];
    expect(error.message).toMatch(/unrecognized name/i);
    const { records } = await site.order({ tell: 'all' });
    expect(records).toMatchObject([{ outcome: 'denied', text: expect.stringContaining(named), up: 0 }]);
    expect(await site.seen()).toMatchObject({ requests: [] });
  });

  it('forwards a request in absolute form to what its target names, whatever Host says', async () => {
    const answer = await site.say(
      'POST http://registry.example/a/b?c=d HTTP/1.1\r\nHost: other.example\r\nX-Mine: 1\r\n' +
        'Proxy-Authorization: Basic eA==\r\nConnection: x-gone, close\r\nX-Gone: 1\r\nContent-Length: 4\r\n\r\nbody',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('POST /a/b?c=d body');
    const [request] = (await site.seen()).requests;
    expect(request?.rawHeaders).toEqual([
      ...['Host', 'registry.example', 'X-Mine', '1', 'Content-Length', '4', 'Connection', 'close'],
    ]);
  });

  it.each([
    ['HTTP/1.1', 'GET http://registry.example/2 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['HTTP/1.0', 'GET http://registry.example/2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
    ['HTTP/2.0', 'GET http://registry.example/2 HTTP/2.0\r\nConnection: keep-alive\r\n\r\n'],
    ['CONNECT', 'CONNECT registry.example:7 HTTP/1.1\r\n\r\n'],
  ])('A-293 P20: ends a connection that brings a second request, by %s', async (_how, second) => {
    const before = await site.order({ reach }).then(() => site.order({ tell: 'all' }));
    const socket = site.open();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write('GET http://registry.example/silent HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(async () => (await site.seen()).requests.length).toBe(1);
    for (let n = 0; n < 100; n += 1) socket.write(second.repeat(500));
    await closed;
    const { records, rss } = await site.order({ tell: 'all' });
    expect(records).toMatchObject([{ outcome: 'invalid', text: expect.stringContaining('a second') }]);
    expect(rss - before.rss).toBeLessThan(64 * 1024 * 1024);
    expect(await site.seen()).toMatchObject({ connections: [], requests: [] });
  });

  it('A-293: does not begin the first of two requests that come at once', async () => {
    const one = 'GET http://registry.example/1 HTTP/1.1\r\nHost: x\r\n\r\n';
    await site.say(one + one).catch(() => {});
    const { records } = await site.order({ tell: 'all' });
    expect(records).toMatchObject([{ outcome: 'invalid' }]);
    expect((await site.seen()).requests).toEqual([]);
  });

  it('passes a redirect on, and does not follow it', async () => {
    const answer = await site.say('GET http://registry.example/redirect HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 302 [\s\S]*169\.254\.169\.254/);
    expect((await site.seen()).connections).toEqual(['20.0.0.1:80']);
  });

  it('streams a body and its answer while both go on', async () => {
    const socket = site.open();
    socket.write(
      'POST http://registry.example/stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    for (const word of ['one', 'two', 'three']) {
      socket.write(`${word.length.toString(16)}\r\n${word}\r\n`);
      await expect.poll(() => text).toContain(`data: ${word}`);
    }
    socket.write('0\r\n\r\n');
    await expect.poll(() => text).toContain('data: end');
  });

  it('A-65 P22: a client that does not read stops the server, and memory stays', async () => {
    const before = await site.order({ reach }).then(() => site.order({ tell: 'all' }));
    const sockets = await Promise.all(Array.from({ length: 8 }, () => site.tunnel('registry.example:19')));
    // Each could have sent gigabytes by then.
    for (let round = 0; round < 20; round += 1) await site.seen();
    for (const socket of sockets) socket.destroy();
    const { rss, records } = await site.order({ tell: 'all' });
    expect(rss - before.rss).toBeLessThan(64 * 1024 * 1024);
    expect(records.every(({ down }) => down < 8 * 1024 * 1024)).toBe(true);
  });

  it('A-65: ends everything of an execution at its limit of bytes, and takes nothing new', async () => {
    await site.order({ reach, limits: { down: 1_000_000 } });
    const socket = await site.tunnel('registry.example:19');
    const got = await buffer(socket);
    expect(got.length).toBeLessThanOrEqual(1_000_000);
    expect(await site.say('CONNECT registry.example:19 HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 [^x]*$/);
    const { records } = await site.order({ tell: 'all' });
    expect(records.map(({ outcome }) => outcome)).toEqual(['limit', 'limit']);
  });

  it('A-298: tells a client whose upload is over its limit, and records that', async () => {
    await site.order({ reach, limits: { up: 100_000 } });
    const head = (path: string, length: number) =>
      `POST http://registry.example/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
    const answer = await site.say(head('in', 300_000) + 'x'.repeat(300_000));
    expect(answer).toMatch(/^HTTP\/1\.1 503 clawrden: egress-limit: more than 100000 bytes up/);
    await site.order({ reach, limits: { up: 100_000 } });
    const socket = site.open();
    const got = buffer(socket).catch(() => {});
    socket.write(`${head('stream', 300_000)}x`);
    await once(socket, 'data');
    socket.write('x'.repeat(299_999));
    await got;
    const { records } = await site.order({ tell: 'all' });
    expect(records.map(({ outcome }) => outcome)).toEqual(['limit', 'limit']);
  });

  it('A-298: tells a client whose destination resets during its upload', async () => {
    const length = 8_000_000;
    const answer = await site.say(
      `POST http://registry.example:8080/reset HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 502 clawrden: egress-unreachable: /);
  });

  it('A-588: an answer without a length that is reset does not look whole, and one that ends does', async () => {
    const get = (path: string) =>
      site.say(`GET http://registry.example:81/answer-${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (const path of ['cut', 'cut-late']) {
      const answer = await get(path).catch((error: Error) => error.message);
      expect(answer).not.toMatch(/\r\n0\r\n\r\n$/);
      expect((await site.order({ tell: 'all' })).records).toMatchObject([{ outcome: 'unreachable' }]);
    }
    expect(await get('whole')).toMatch(/^HTTP\/1\.1 200 [^]*beginning\r\n0\r\n\r\n$/);
    expect((await site.order({ tell: 'all' })).records).toMatchObject([{ outcome: 'closed' }]);
  });

  it('A-588: bytes beside ASCII in the head of an answer come as they were', async () => {
    const answer = await site.say(
      'GET http://registry.example:81/answer-letters HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 Tr\xc3\xa8s\r\n/);
    expect(answer).toContain('\r\nLocation: /caf\xc3\xa9\r\n');
    expect(answer).toContain('\r\nX-L: \xe9\r\n');
  });

  it('A-593: serves 64 connections at once; 64 more wait, and the next one is turned away', async () => {
    const sockets = await Promise.all(Array.from({ length: 64 }, () => site.tunnel('registry.example:7')));
    const waiting = Array.from({ length: 64 }, () => site.tunnel('registry.example:7'));
    await sleep(500);
    expect(await site.say('CONNECT registry.example:7 HTTP/1.1\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 503 .*too many connections/,
    );
    for (const socket of sockets) socket.destroy();
    for (const socket of await Promise.all(waiting)) socket.destroy();
    const { records, metrics } = await site.order({ tell: 'all' });
    expect(records).toHaveLength(128);
    expect(records.reduce((sum, { turnedAway = 0 }) => sum + turnedAway, 0)).toBe(1);
    expect(metrics).toContain('turned-away');
    expect((await site.tunnel('registry.example:7')).destroy().destroyed).toBe(true);
  });

  it('A-593: a client that has 64 connections at most is never turned away, however fast one follows another', async () => {
    const get = 'GET http://registry.example/in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const oneByOne = async () => {
      const codes: string[] = [];
      for (let count = 0; count < 3; count += 1) codes.push((await site.say(get)).slice(9, 12));
      return codes;
    };
    const codes = (await Promise.all(Array.from({ length: 64 }, oneByOne))).flat();
    expect(codes.filter((code) => code !== '200')).toEqual([]);
  });

  it('records of a client that ends its side before its answer that it went away', async () => {
    const socket = site.open();
    socket.end('GET http://registry.example/silent HTTP/1.1\r\nHost: x\r\n\r\n');
    await buffer(socket);
    expect((await site.order({ tell: 'all' })).records).toMatchObject([
      { outcome: 'closed', text: 'its client went away' },
    ]);
  });

  it('ends a connection that is silent for too long', async () => {
    await site.order({ reach, idleMs: 300 });
    const socket = await site.tunnel('registry.example:7');
    await buffer(socket);
    const { records } = await site.order({ tell: 'all' });
    expect(records).toMatchObject([{ outcome: 'late', text: expect.stringContaining('no byte came') }]);
  });

  it('ends all of its connections when its way ends', async () => {
    const sockets = await Promise.all([
      site.tunnel('registry.example:7'),
      site.tunnel('registry.example:19'),
    ]);
    const waiting = site.open();
    const ended = [...sockets, waiting].map((socket) => buffer(socket).catch(() => {}));
    await site.order({ stop: true });
    await Promise.all(ended);
    const { records } = await site.order({ tell: 'all' });
    expect(records.map(({ outcome }) => outcome)).toEqual(['stopped', 'stopped', 'stopped']);
  });
});
