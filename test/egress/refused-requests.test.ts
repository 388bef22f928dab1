import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DoorSite, startDoor } from './door-site.ts';
import { mayMakeNamespaces } from './two-namespaces.ts';

describe.skipIf(!mayMakeNamespaces)('what the way out refuses', () => {
  let site: DoorSite;
  beforeAll(async () => {
    site = await startDoor();
  });
  afterAll(() => site[Symbol.asyncDispose]());
  beforeEach(() => site.reset());

  it.each([
    ['other.example:443', 'other.example:443 is not a destination of network registry'],
    ['registry.example:22', 'registry.example:22 is not a destination of network registry'],
    ['cdn.example:443', 'cdn.example:443 is not a destination of network registry'],
    ['127.0.0.1:443', '127.0.0.1:443 is not a destination of network registry'],
    ['0x7f.1:80', '127.0.0.1:80 is not a destination of network registry'],
    ['inside.example:80', 'inside.example:80 has an address that may not be reached'],
  ])('A-63: CONNECT %s is a 403 with the line, and nothing is tried', async (to, why) => {
    const { tried } = await site.order({ tell: 'all' });
    const answer = await site.say(`CONNECT ${to} HTTP/1.1\r\nHost: registry.example:443\r\n\r\n`);
    const line = `clawrden: egress-denied: ${why}`;
    expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 403 ${line}`);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({ error: line });
    const facts = await site.order({ tell: 'all' });
    expect(facts.records).toMatchObject([{ outcome: 'denied', address: '' }]);
    expect(facts.refused).toEqual([line]);
    expect(facts.tried).toBe(tried);
  });

  it('A-63: the line is at most 200 bytes of printable ASCII, whatever is asked for', async () => {
    const long = `${'a'.repeat(60)}.`.repeat(4);
    for (const to of [
      `${long}example:443`,
      '[::1]:443',
      'x'.repeat(5000),
      'a\u00e4:443',
      ':',
      'a:b',
      '-',
      '*:443',
    ]) {
      const [first = ''] = (await site.say(Buffer.from(`CONNECT ${to} HTTP/1.1\r\n\r\n`, 'latin1'))).split(
        '\r\n',
      );
      expect(first).toMatch(/^HTTP\/1\.1 40[03] clawrden: egress-(denied|invalid): [\x20-\x7e]*$/);
      expect(first.length - 'HTTP/1.1 400 '.length).toBeLessThanOrEqual(200);
    }
    const { records } = await site.order({ tell: 'all' });
    for (const { to, text } of records) expect(to.length + text.length).toBeLessThan(1000);
  });

  it.each([
    ['CL.TE', 'POST', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET'],
    ['TE.CL', 'POST', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET'],
    ['two lengths', 'POST', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde'],
    ['the same length twice', 'POST', 'Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd'],
    ['another coding', 'POST', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown coding', 'POST', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a coding behind a tab', 'POST', 'Transfer-Encoding:\tchunked, identity\r\n\r\n0\r\n\r\n'],
    ['a length with a sign', 'POST', 'Content-Length: +4\r\n\r\nabcd'],
    ['a bare line feed', 'GET', 'X-A: 1\nX-B: 2\r\n\r\n'],
    ['bare line feeds at the end', 'GET', 'X-A: 1\n\n'],
    ['a folded header', 'GET', 'X-A: 1\r\n 2\r\n\r\n'],
    ['a blank before the colon', 'GET', 'X-A : 1\r\n\r\n'],
    ['a NUL', 'GET', 'X-A: \0\r\n\r\n'],
    ['a bare return', 'GET', 'X-A: 1\rX-B: 2\r\n\r\n'],
    ['trailers', 'POST', 'Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\nX: 1\r\n\r\n'],
    ['two hosts', 'GET', 'Host: a\r\nHost: b\r\n\r\n'],
    ['an upgrade', 'GET', 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    [
      'an upgrade to HTTP/2',
      'GET',
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n',
    ],
  ])('A-65: %s is refused, and nothing goes out', async (_name, method, rest) => {
    const host = rest.includes('Host:') ? '' : 'Host: registry.example\r\n';
    const answer = await site.say(`${method} http://registry.example/ HTTP/1.1\r\n${host}${rest}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 clawrden: egress-invalid: /);
    expect(await site.seen()).toMatchObject({ connections: [], requests: [] });
    const { records } = await site.order({ tell: 'all' });
    expect(records).toMatchObject([{ outcome: 'invalid' }]);
  });

  it.each([
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['GET http://user@registry.example/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET http://registry.example:80@other.example/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET http://other.example\\@registry.example/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET https://registry.example/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET * HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET http:///x HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET http://registry.example:443/ HTTP/1.1\r\nHost: x\r\n\r\n', 403],
    ['GET http://other.example/ HTTP/1.1\r\nHost: registry.example\r\n\r\n', 403],
    ['GET http://2130706433/ HTTP/1.1\r\nHost: registry.example\r\n\r\n', 403],
    ['CONNECT registry.example HTTP/1.1\r\n\r\n', 400],
    ['CONNECT user@registry.example:443 HTTP/1.1\r\n\r\n', 400],
    ['CONNECT http://registry.example:443 HTTP/1.1\r\n\r\n', 400],
    ['CONNECT registry.example:443 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc', 400],
    ['\x16\x03\x01\x02\x00\x01', 400],
    ['\x05\x01\x00', 400],
    ['SSH-2.0-x\r\n', 400],
  ])('A-63: %j is refused with %s, and nothing goes out', async (bytes, status) => {
    const answer = await site.say(Buffer.from(bytes, 'latin1'));
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    expect(await site.seen()).toMatchObject({ connections: [] });
  });

  it.each([
    ['that breaks off before its first byte', ''],
    ['of a wrong chunk', '5\r\nabcde\r\nzz\r\n'],
  ])('A-65: a body %s ends its connection at once', async (_name, body) => {
    const head = 'POST http://registry.example/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const socket = site.open();
    socket.write(`${head}${body}`);
    if (body === '') socket.end();
    await buffer(socket).catch(() => {});
    socket.destroy();
    const { records } = await site.order({ tell: 'all' });
    expect(records).toMatchObject([{ outcome: 'closed', text: 'its client went away' }]);
  });

  it('A-63: nothing but a destination is reached, whatever bytes come', async () => {
    const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 2000 : 40;
    const word = fc.constantFrom(
      ...[
        'CONNECT',
        'GET',
        'POST',
        ' ',
        ' ',
        '\r\n',
        '\r\n',
        '\n',
        '\t',
        'HTTP/1.1',
        'HTTP/1.0',
        'http://',
        '/',
        '@',
      ],
      ...[
        'registry.example',
        'other.example',
        '127.0.0.1',
        '10.0.0.1',
        '169.254.169.254',
        ':80',
        ':443',
        ':2375',
      ],
      ...[
        'Host: ',
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
        '\0',
        '%0d%0a',
        '..',
        '\\',
        '#',
        '?',
        '[::1]',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 2, maxLength: 30 }), async (words) => {
        const socket = site.open();
        socket.end(Buffer.from(`${words.join('')}\r\n\r\n`, 'latin1'));
        await buffer(socket).catch(() => {});
      }),
      { numRuns },
    );
    const { connections } = await site.seen();
    expect(connections.filter((to) => !/^20\.0\.0\.1:(80|443)$/.test(to))).toEqual([]);
  });
});
