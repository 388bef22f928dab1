import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAnswer } from './raw-http.ts';
import { type SpiedDoor, startSpiedDoor, statusesIn } from './spied-door.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const numRuns = isLong ? 5_000 : 200;

let spied: SpiedDoor;
beforeAll(async () => {
  spied = await startSpiedDoor();
});
afterAll(() => spied[Symbol.asyncDispose]());

const target = '/api/v1/lockdown';
const body = '{"on":true,"reason":"one"}';
const line = `Content-Length: ${body.length}`;
const chunkedLine = 'Transfer-Encoding: chunked';

const request = (lines: readonly string[], content: string, eol = '\r\n', version = 'HTTP/1.1') =>
  `PUT ${target} ${version}${eol}${[...spied.own, ...lines].join(eol)}${eol}${eol}${content}`;

/** What a reader that sees an end where another sees none would take for a request of its own. */
const hidden = () =>
  `POST /api/v1/executions HTTP/1.1\r\n${spied.own.join('\r\n')}\r\nConnection: close\r\nContent-Length: 34\r\n\r\n{"agent":"","tool":"a","args":[]} `;

const chunksOf = (text: string, cuts: readonly number[]): string[] => {
  const borders = [0, ...cuts.map((at) => at % text.length).sort((a, b) => a - b), text.length];
  return borders.flatMap((from, at) => text.slice(from, borders[at + 1] ?? from) || []);
};
const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
const end = '0\r\n\r\n';
const cuts = fc.array(fc.nat(1000), { maxLength: 3 });

test('one length and one spelling of it is taken, in one piece or in chunks', async () => {
  const extension = fc.constantFrom('', ';a=b', ';a="b c"', ';a;b');
  const way = fc.oneof(
    fc
      .constantFrom(line, `content-length:\t${body.length} `, `Content-Length: 0${body.length}`)
      .map((one) => [one, body]),
    fc
      .tuple(cuts, extension, fc.constantFrom(chunkedLine, 'TRANSFER-ENCODING: CHUNKED'))
      .map(([at, more, one]) => [
        one,
        chunksOf(body, at)
          .map((part) => chunk(part, more))
          .join('') + end,
      ]),
  );
  await fc.assert(
    fc.asyncProperty(way, async ([one = '', content = '']) => {
      const answer = await spied.send(request([one, 'Connection: close'], content));
      expect([answer.status, spied.acts()]).toEqual([200, ['setLockdown']]);
    }),
    { numRuns: Math.ceil(numRuns / 10) },
  );
});

const oddBytes = fc.constantFrom('\v', '\f', '\0', '\x7f', ' x', ', x', ';q=1', '\xa0', '_', ',chunked', '"');
const oddLength = fc.oneof(
  fc.constantFrom('', '-1', '1e1', '18446744073709551642', `${body.length}, ${body.length}`, '0x1a', '٢٦'),
  fc
    .tuple(fc.constantFrom('+', '-', '0x', ' 3 ', '_', ',', '"', '\v'), fc.nat(2))
    .map(([odd, at]) => {
      const digits = String(body.length);
      return digits.slice(0, at) + odd + digits.slice(at);
    })
    .filter((text) => !/^\s*\d+\s*$/.test(text)),
);
/** Headers of which one reader finds another length, or another end, than the next one does. */
const oddHeaders = fc.oneof(
  fc.constantFrom<string[]>(
    [line, chunkedLine],
    [chunkedLine, line],
    [line, line],
    [line, 'Content-Length: 3'],
    [chunkedLine, chunkedLine],
    [chunkedLine, 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: identity', line],
    ['Transfer-Encoding:\r\n chunked'],
    ['Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding:', line],
    [`X: y\n${line}`],
    [`X: y\r${line}`],
    [' X: y', line],
  ),
  oddLength.map((length) => [`Content-Length: ${length}`]),
  fc
    .tuple(oddBytes, fc.nat('chunked'.length))
    .map(([odd, at]) => [`Transfer-Encoding: ${'chunked'.slice(0, at)}${odd}${'chunked'.slice(at)}`])
    .filter(([one = '']) => one !== 'Transfer-Encoding: ,chunkedchunked'),
  fc
    .tuple(
      fc.constantFrom('Content-Length', 'Transfer-Encoding'),
      fc.constantFrom(' ', '\t', '\0', '\v', '\xa0'),
    )
    .map(([name, odd]) => [`${name}${odd}: ${name === 'Content-Length' ? body.length : 'chunked'}`]),
);

/** A body in chunks with one fault in it. */
const oddChunks = fc
  .tuple(
    cuts,
    fc.constantFrom<(good: string) => string>(
      (good) => good.replace(/^/, '+'),
      (good) => good.replace(/^/, '-'),
      (good) => good.replace(/^/, '0x'),
      (good) => good.replace(/^/, ' '),
      (good) => good.replace(/^/, 'fffffffffffffffff'),
      (good) => good.replace(/^[0-9a-f]+/, ''),
      (good) => good.replace(/^([0-9a-f]+)/, '$1 '),
      (good) => good.replace(/^([0-9a-f]+)/, '$1_0'),
      (good) => good.replace(/^([0-9a-f]+)/, '$1;a\n'),
      (good) => good.replace(/^([0-9a-f]+)/, '$1;a\rb'),
      (good) => good.replace(/^([0-9a-f]+)/, `$1;${'a'.repeat(17_000)}`),
      (good) => good.replace('\r\n', '\n'),
      (good) => good.replace('\r\n', '\r'),
      (good) => good.replace(/\r\n0/, '\n0'),
      (good) => good.replace(/\r\n0/, '0'),
      (good) => good.replace(/\r\n0/, 'X\r\n0'),
      (good) => good.replace(/0\r\n\r\n$/, '0\n\n'),
      (good) => good.replace(/0\r\n\r\n$/, '0\r\nContent-Length: 3\r\n\r\n'),
      (good) => good.replace(/0\r\n\r\n$/, '0\r\nX y\r\n\r\n'),
    ),
  )
  .map(([at, spoil]) =>
    spoil(
      chunksOf(body, at)
        .map((part) => chunk(part))
        .join('') + end,
    ),
  );

/** Each is a list of codings that ends with the right one. */
const codings = ['gzip, chunked', 'gzip,CHUNKED', ', chunked', 'x, chunked', 'identity, chunked'].map(
  (list) => `Transfer-Encoding: ${list}`,
);
const whole = chunk(body) + end;

test(
  'A-66 P17: a request whose end can be read in two ways does nothing, nor does what follows it',
  async () => {
    const odd = fc.oneof(
      fc
        .tuple(oddHeaders, fc.constantFrom(body, chunk(body) + end))
        .map(([lines, content]) => ({ lines, content, eol: '\r\n' })),
      oddChunks.map((content) => ({ lines: [chunkedLine], content, eol: '\r\n' })),
      fc.constantFrom('\n', '\r', '\r\r\n').map((eol) => ({ lines: [line], content: body, eol })),
    );
    await fc.assert(
      fc.asyncProperty(odd, fc.boolean(), async ({ lines, content, eol }, isFirst) => {
        const harmless = Array.from({ length: 3 }, (_, at) => `X-${at}: y`);
        const all = isFirst ? [...lines, ...harmless] : [...harmless, ...lines];
        const answer = await spied.send(request(all, content, eol) + hidden());
        expect([statusesIn(answer), spied.acts()]).toEqual([[400], []]);
        expect(answer.text).toContain('application/problem+json');
      }),
      { numRuns, examples: codings.map((one) => [{ lines: [one], content: whole, eol: '\r\n' }, false]) },
    );
  },
  isLong ? 600_000 : 60_000,
);

test('A-66: a connection carries one request at a time', async () => {
  const hanging = Promise.withResolvers<void>();
  await using other = await startSpiedDoor({
    execute: async () => {
      await hanging.promise;
      return { kind: 'exited', code: 0, signal: 0 };
    },
  });
  const post = `POST /api/v1/executions HTTP/1.1\r\n${other.own.join('\r\n')}\r\nContent-Length: 34\r\n\r\n{"agent":"","tool":"a","args":[]} `;
  for (const next of [
    `PUT ${target} HTTP/1.1\r\n${other.own.join('\r\n')}\r\n${line}\r\n\r\n${body}`,
    'nonsense\r\n\r\n',
  ]) {
    // The answer to what follows can be taken for that of what came before.
    expect((await other.send(post + next)).text).toBe('');
    expect(other.acts()).toEqual([]);
  }
  hanging.resolve();
  expect((await other.send(post.replace('\r\nContent', '\r\nConnection: close\r\nContent'))).status).toBe(
    200,
  );
});

test('HTTP of another version is refused; without a version it has no answer that counts', async () => {
  expect((await spied.send(request([line, 'Connection: close'], body, '\r\n', 'HTTP/1.0'))).status).toBe(200);
  expect(spied.acts()).toEqual(['setLockdown']);
  for (const version of [
    'HTTP/2.0',
    'HTTP/0.9',
    'HTTP/1.2',
    'HTTP/1.10',
    'http/1.1',
    'HTTP/11',
    'RTSP/1.0',
    '',
  ])
    expect([version, (await spied.send(request([line], body, '\r\n', version))).status]).toEqual([
      version,
      400,
    ]);
  expect((await spied.send(request([chunkedLine], chunk(body) + end, '\r\n', 'HTTP/1.0'))).status).toBe(400);
  expect(spied.acts()).toEqual([]);
});

test('HTTP/2 is not spoken: neither its preface nor an upgrade is taken up', async () => {
  const frames = '\0\0\0\x04\0\0\0\0\0\0\0\x04\x08\0\0\0\0\0\0\0\xff\xff';
  expect((await spied.send(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${frames}`)).status).toBe(400);
  const session = connectHttp2(spied.door.url);
  session.on('error', () => {});
  await new Promise((resolve) => session.once('close', resolve));
  for (const upgrade of [
    [
      'Upgrade: h2c',
      'Connection: Upgrade, HTTP2-Settings, close',
      'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
    ],
    [
      'Upgrade: websocket',
      'Connection: Upgrade, close',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ],
    ['Upgrade: TLS/1.0', 'Connection: Upgrade, close'],
  ]) {
    const answer = await spied.send(request([line, ...upgrade], body));
    expect([statusesIn(answer), spied.acts()]).toEqual([[200], ['setLockdown']]);
  }
  expect((await spied.send(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${spied.own.join('\r\n')}\r\n\r\n`)).text).toBe(
    '',
  );
});

/** Asks to be asked for the body, and waits for the word. */
async function expecting(expected: string, token: string): Promise<{ first: string; all: string }> {
  const socket = connect(spied.door.port, '127.0.0.1');
  await once(socket, 'connect');
  const lines = [
    `Host: 127.0.0.1:${spied.door.port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
  ];
  socket.write(`PUT ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\nExpect: ${expected}\r\n${line}\r\n\r\n`);
  const first = String((await once(socket, 'data'))[0]);
  const rest = readAnswer(socket);
  if (first.startsWith('HTTP/1.1 100')) socket.write(body);
  else socket.write(hidden());
  return { first, all: first + (await rest).text };
}

test('A-66: who is refused is not asked for its body, and its connection ends', async () => {
  const good = await expecting('100-continue', spied.token);
  expect(good.first).toMatch(/^HTTP\/1.1 100 /);
  expect([good.all.includes('HTTP/1.1 200 '), spied.acts()]).toEqual([true, ['setLockdown']]);
  for (const [expected, token, status] of [
    ['100-continue', 'clw_none', 401],
    ['100-continue', spied.door.token('viewer'), 403],
    ['200-ok', spied.token, 417],
    ['100-continue, 200-ok', spied.token, 417],
  ] as const) {
    const { all } = await expecting(expected, token);
    expect([statusesIn({ status, text: all })[0], all.includes('problem+json')]).toEqual([status, true]);
    expect(spied.acts()).toEqual([]);
  }
});

test('A-66: a body that is packed is refused, not read as it is', async () => {
  for (const packed of ['gzip', 'identity', 'br, gzip', '']) {
    const answer = await spied.send(
      request([line, `Content-Encoding: ${packed}`, 'Connection: close'], body),
    );
    expect([packed, answer.status, spied.acts()]).toEqual([packed, 415, []]);
  }
});
