import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GoodRequest, goodRequests, withBody } from './good-requests.ts';
import { type SpiedDoor, startSpiedDoor } from './spied-door.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const numRuns = isLong ? 5_000 : 150;

let spied: SpiedDoor;
beforeAll(async () => {
  spied = await startSpiedDoor();
});
afterAll(() => spied[Symbol.asyncDispose]());
beforeEach(() => void spied.acts());

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly lines?: readonly string[];
  readonly own?: readonly string[];
}

/** A good request, changed; its answer's status and what it reached. */
async function send(good: GoodRequest, { method, target, lines = [], own = spied.own }: Sent = {}) {
  const length = good.body === '' ? [] : [`Content-Length: ${good.body.length}`];
  const head = `${method ?? good.route.method} ${target ?? good.target} HTTP/1.1`;
  const text = [head, 'Connection: close', ...own, ...lines, ...length].join('\r\n');
  const answer = await spied.send(`${text}\r\n\r\n${good.body}`);
  expect(answer.text.toLowerCase()).not.toContain('access-control-');
  return { status: answer.status, acts: spied.acts() };
}

const some = fc.constantFrom(...goodRequests);
const [first] = goodRequests as [GoodRequest];

/** It is refused by nothing of the door. */
async function reaches(good: GoodRequest, sent: Sent = {}): Promise<void> {
  const { status, acts } = await send(good, sent);
  // What is behind this door knows no agent and no question.
  expect([good.target, sent, [200, 404, 409, 500].includes(status), acts.length > 0]).toEqual([
    good.target,
    sent,
    true,
    true,
  ]);
}

test('each route is reached by a good request', async () => {
  for (const good of goodRequests) await reaches(good);
});

/** What a page of another site names as its own. */
const origin = fc.oneof(
  fc.webUrl().map((url) => new URL(url).origin),
  fc.constantFrom(
    'null',
    'http://',
    'file://',
    'chrome-extension://aaaa',
    '*',
    'http://localhost',
    'http://127.0.0.1',
  ),
  fc
    .tuple(
      fc.constantFrom(
        '.evil.example',
        '@evil.example',
        '0',
        '/',
        '#',
        '?',
        ' ',
        '%2e',
        ', http://evil.example',
        '\\',
      ),
      fc.boolean(),
    )
    // A blank at the end of a header does not belong to its text.
    .filter(([odd, behind]) => odd !== ' ' || !behind)
    .map(([odd, behind]) => (behind ? `${ownOrigin()}${odd}` : `http://evil.example${odd}${ownOrigin()}`)),
  fc
    .constantFrom(
      'http://127.1',
      'http://2130706433',
      'http://0x7f.1',
      'http://[::ffff:127.0.0.1]',
      'https://127.0.0.1',
      'HTTP://EVIL',
    )
    .map((text) => `${text}:${spied.door.port}`)
    .filter((text) => !text.startsWith('https://127.0.0.1')),
  fc.constant(0).map(() => `http://127.0.0.1:${spied.door.port + 1}`),
);
const ownOrigin = () => `http://127.0.0.1:${spied.door.port}`;

test(
  'A-66 P17: what a page of another site sends does nothing, with a token and without',
  async () => {
    const site = fc
      .constantFrom('cross-site', 'same-site', 'Same-Origin', 'x', 'none, cross-site')
      .map((text) => `Sec-Fetch-Site: ${text}`);
    const told = fc.oneof(
      origin.map((text) => `Origin: ${text}`),
      site,
    );
    await fc.assert(
      fc.asyncProperty(some, told, fc.boolean(), async (good, line, hasToken) => {
        const own = hasToken ? spied.own : spied.own.filter((each) => !each.startsWith('Authorization'));
        expect([line, await send(good, { lines: [line], own })]).toEqual([line, { status: 403, acts: [] }]);
      }),
      { numRuns },
    );
    for (const line of [
      `Origin: ${ownOrigin()}`,
      `Origin: http://localhost:${spied.door.port}`,
      'Sec-Fetch-Site: same-origin',
      'Sec-Fetch-Site: none',
    ])
      await reaches(first, { lines: [line] });
  },
  isLong ? 600_000 : 60_000,
);

test(
  'A-66 P17: what a page can send without asking first does nothing; who asks first gets no word of CORS',
  async () => {
    const types = fc.constantFrom(
      ...[
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain; application/json',
      ],
      ...[
        'application/json, text/plain',
        'application/json;charset=utf-7',
        'application/jsonp',
        'text/json',
        'application/csp-report',
        '',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withBody), types, async (good, type) => {
        const own = [...spied.own.slice(0, 2), ...(type === '' ? [] : [`Content-Type: ${type}`])];
        const told = await send(good, { own });
        expect([type, told]).toEqual([type, { status: 415, acts: [] }]);
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    );
    for (const good of goodRequests) {
      const asks = [
        'Access-Control-Request-Method: PUT',
        'Access-Control-Request-Headers: authorization',
        'Access-Control-Request-Private-Network: true',
      ];
      for (const lines of [
        asks,
        [...asks, `Origin: ${ownOrigin()}`],
        [...asks, 'Origin: https://evil.example'],
      ]) {
        const { status, acts } = await send(
          { ...good, body: '' },
          { method: 'OPTIONS', lines, own: spied.own.slice(0, 1) },
        );
        expect([good.target, [403, 405].includes(status) ? 405 : status, acts]).toEqual([
          good.target,
          405,
          [],
        ]);
      }
    }
  },
  isLong ? 600_000 : 60_000,
);

test(
  'A-66 P17: no method stands in for another',
  async () => {
    const method = fc.constantFrom(
      'GET',
      'POST',
      'PUT',
      'DELETE',
      'PATCH',
      'HEAD',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'PURGE',
      'QUERY',
    );
    const names = [
      'X-HTTP-Method-Override',
      'X-HTTP-Method',
      'X-Method-Override',
      '_method',
      'X-Original-Method',
    ];
    await fc.assert(
      fc.asyncProperty(
        some,
        method,
        fc.constantFrom(...names),
        fc.boolean(),
        async (good, other, name, inQuery) => {
          // Two routes may share a path.
          fc.pre(
            !goodRequests.some((each) => each.route.path === good.route.path && each.route.method === other),
          );
          const line = `${name}: ${good.route.method}`;
          const target = inQuery ? `${good.target}?_method=${good.route.method}` : good.target;
          const { status, acts } = await send(good, { method: other, target, lines: [line] });
          expect([line, status >= 400, acts]).toEqual([line, true, []]);
          // What it is, it stays.
          await reaches(good, {
            lines: [`${name}: ${other}`, 'X-Original-URL: /healthz', 'X-Rewrite-URL: /healthz'],
          });
        },
      ),
      { numRuns },
    );
  },
  isLong ? 600_000 : 60_000,
);

test(
  'A-66 P17: a request for another host does nothing',
  async () => {
    const host = fc
      .oneof(
        fc.domain(),
        fc.ipV4().filter((text) => text !== '127.0.0.1'),
        // Two of these are the door's own names.
        fc
          .ipV6()
          .filter((text) => text !== '::1')
          .map((text) => `[${text}]`),
        fc.constantFrom(
          'localhost.',
          '127.1',
          '2130706433',
          '0x7f.0.0.1',
          '017700000001',
          '[::ffff:7f00:1]',
          '[0:0:0:0:0:0:0:1]',
          'LOCALHOST.evil',
          '',
        ),
      )
      .map((name) => `${name}:${spied.door.port}`);
    const odd = fc
      .constantFrom(
        '.evil.example',
        ' evil.example',
        '/',
        '#',
        '?x',
        '@evil.example',
        ',evil.example',
        '0',
        '\t',
        '%00',
        '\\',
      )
      .filter((text) => text !== '\t')
      .map((text) => `127.0.0.1:${spied.door.port}${text}`);
    const front = fc
      .constantFrom('evil.example@', 'evil.example/', 'a.', '0', '.', 'http://', '//')
      .map((text) => `${text}127.0.0.1:${spied.door.port}`);
    const none = fc.constantFrom(
      '127.0.0.1',
      'localhost',
      '127.0.0.1:',
      '127.0.0.1:0',
      '127.0.0.1:80',
      ':80',
    );
    await fc.assert(
      fc.asyncProperty(some, fc.oneof(host, odd, front, none), async (good, name) => {
        const own = [`Host: ${name}`, ...spied.own.slice(1)];
        const forwarded = ['X-Forwarded-Host: 127.0.0.1', `Forwarded: host=127.0.0.1:${spied.door.port}`];
        expect([name, await send(good, { own, lines: forwarded })]).toEqual([
          name,
          { status: 421, acts: [] },
        ]);
      }),
      { numRuns },
    );
    expect(await send(first, { own: spied.own.slice(1) })).toEqual({ status: 400, acts: [] });
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])
      await reaches(first, { own: [`Host: ${name}:${spied.door.port}`, ...spied.own.slice(1)] });
  },
  isLong ? 600_000 : 60_000,
);
