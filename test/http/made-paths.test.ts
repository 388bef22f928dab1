import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GoodRequest, goodRequests } from './good-requests.ts';
import { type SpiedDoor, startSpiedDoor } from './spied-door.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 10_000 : 250;

let spied: SpiedDoor;
beforeAll(async () => {
  spied = await startSpiedDoor();
});
afterAll(() => spied[Symbol.asyncDispose]());

async function send({ route, body }: GoodRequest, target: string) {
  const lines = [
    ...spied.own,
    'Connection: close',
    ...(body === '' ? [] : [`Content-Length: ${body.length}`]),
  ];
  const { status } = await spied.send(
    `${route.method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
  return { status, acts: spied.acts() };
}

const escaped = (text: string) => [...text].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');

/** Another spelling of a path, for somebody who resolves more than we do. */
const respell = fc
  .tuple(
    fc.nat(1000),
    fc.constantFrom<(before: string, next: string, rest: string) => string>(
      (before, next, rest) => before + escaped(next) + rest,
      (before, next, rest) => before + escaped(next).toUpperCase().replace('%', '%25') + rest,
      (before, next, rest) => before + escaped(escaped(next)) + rest,
      (before, next, rest) => `${before}%u00${next.charCodeAt(0).toString(16)}${rest}`,
      (before, next, rest) =>
        `${before}%c${(next.charCodeAt(0) >> 6).toString(16)}%${(0x80 | (next.charCodeAt(0) & 0x3f)).toString(16)}${rest}`,
      (before, next, rest) => before + (/[a-z]/.test(next) ? next.toUpperCase() : `${next}${next}`) + rest,
      (before, next, rest) => `${before}${next}\0${rest}`,
      (before, next, rest) => `${before}${next}\\${rest}`,
      (before, next, rest) => `${before}${next}%00${rest}`,
      (before, next, rest) => `${before}${next};x=1${rest}`,
      (before, next, rest) => `${before}${next}\xad${rest}`,
      (before, next, rest) => `${before}${next}%20${rest}`,
    ),
  )
  .map(([at, spell]) => (path: string) => {
    const where = at % path.length;
    return spell(path.slice(0, where), path.charAt(where), path.slice(where + 1));
  });

/** The same, between two parts of a path. */
const detour = fc
  .tuple(
    fc.nat(20),
    fc.constantFrom(
      ...[
        '/',
        '/.',
        '/./.',
        '/x/..',
        '/..;/x',
        '/%2e',
        '/%2e%2e/x',
        '/.%2e/x',
        '/x/%2e%2e',
        '/%252e%252e/x',
        '/%2f',
        '/;',
        '/%5c..',
        '/\\..',
      ],
    ),
  )
  .map(([at, way]) => (path: string) => {
    const parts = path.split('/').slice(1);
    const where = at % (parts.length + 1);
    return [
      ...parts.slice(0, where).map((part) => `/${part}`),
      way,
      ...parts.slice(where).map((part) => `/${part}`),
    ].join('');
  });

const around = fc.constantFrom<(path: string) => string>(
  ...[
    '/',
    '//',
    '/.',
    '%20',
    '.json',
    '~',
    '.',
    '%3f',
    '#',
    '#x',
    '%23',
    ';',
    '%0d%0a',
    '\t',
    '*',
    "'",
    '"',
    '\xff',
  ].map((after) => (path: string) => path + after),
  ...[
    'http://127.0.0.1',
    'http://evil.example',
    'https://x@127.0.0.1',
    '//evil.example',
    '//',
    'file://',
    '*',
    '.',
    '\\',
    '/api/v1/status/..',
    '/healthz/../..',
  ].map((before) => (path: string) => before + path),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.toUpperCase(),
  (path) => path.slice(1),
  (path) => `http://127.0.0.1:${spied.door.port}${path}`,
  (path) => `/${'a'.repeat(15_000)}/..${path}`,
  (path) => `${path}/${'a/'.repeat(7_000)}`,
  (path) => `/${'../'.repeat(5_000)}${path}`,
);

/** It is the same path with another name in it, and no other spelling: names have letters of both cases. */
function namesAnother({ route, target }: GoodRequest, made: string): boolean {
  const [pattern, good, parts] = [route.path, target, made].map((path) => path.split('/'));
  return (
    parts!.length === pattern!.length &&
    parts!.every(
      (part, at) => part === good![at] || (pattern![at]!.startsWith('{') && /^[\w+-][\w.+~-]*$/.test(part)),
    )
  );
}

test('A-66 P17: a path has one spelling: every other one reaches nothing', async () => {
  const some = fc.constantFrom(...goodRequests);
  await fc.assert(
    fc.asyncProperty(some, fc.oneof(respell, detour, around), async (good, change) => {
      const target = change(good.target);
      fc.pre(target !== good.target && !namesAnother(good, target));
      const { status, acts } = await send(good, target);
      expect([target.slice(0, 200), status >= 400, acts]).toEqual([target.slice(0, 200), true, []]);
    }),
    { numRuns },
  );
  for (const good of goodRequests)
    expect([good.target, (await send(good, good.target)).acts.length > 0]).toEqual([good.target, true]);
});

test('A-66 P20: what is too long is refused, and costs no more than its reading', async () => {
  const [good] = goodRequests as [GoodRequest];
  for (const [long, status] of [
    [`/${'a'.repeat(15_000)}`, 404],
    [`/api/v1/executions/${'a'.repeat(15_000)}`, 400],
    [`/${'a'.repeat(17_000)}`, 431],
    [`${good.target}?${'a'.repeat(17_000)}`, 431],
    [`/api/v1/agents?${Array.from({ length: 2000 }, (_, at) => `x${at}=1`).join('&')}`, 400],
    [`/api/v1/agents?cursor=${'a'.repeat(15_000)}`, 400],
  ] as const)
    expect([
      long.slice(0, 30),
      await send({ ...good, route: { ...good.route, method: 'GET' }, body: '' }, long),
    ]).toEqual([long.slice(0, 30), { status, acts: [] }]);
});

test('A-66: a query has one spelling of each of its keys, and those of its route only', async () => {
  const list = goodRequests.find(
    ({ route }) => route.path === '/api/v1/executions' && route.method === 'GET',
  )!;
  const known = Object.keys(list.route.query?.shape ?? {});
  const key = fc
    .oneof(
      fc.constantFrom(
        '__proto__',
        'constructor',
        'prototype',
        'toString',
        'hasOwnProperty',
        'token',
        'access_token',
        'limit[]',
        'limit[$gt]',
        'Limit',
        'limit ',
      ),
      fc.string({ minLength: 1, maxLength: 12 }),
    )
    .filter((name) => !known.includes(name));
  const twice = fc.constantFrom(...known).map((name) => `${name}=1&${name}=1`);
  const spelledTwice = fc.constantFrom(...known).map((name) => `${name}=1&${escaped(name)}=1`);
  const broken = fc.constantFrom(
    'agent=%',
    'agent=%f',
    'agent=%ff',
    'agent=%c0%af',
    'agent=%ed%a0%80',
    'agent=%zz',
    '%ff=1',
  );
  const odd = fc.oneof(
    key.map((name) => `${encodeURIComponent(name)}=1`),
    twice,
    spelledTwice,
    broken,
  );
  await fc.assert(
    fc.asyncProperty(odd, async (query) => {
      expect([query, await send(list, `${list.target}?${query}`)]).toEqual([
        query,
        { status: 400, acts: [] },
      ]);
    }),
    { numRuns: numRuns / 2 },
  );
  for (const query of ['limit=1', 'limit=%31', '%6cimit=1', 'agent=%C3%BC', ''])
    expect([query, (await send(list, `${list.target}?${query}`)).status]).toEqual([query, 200]);
});

/** What a byte of a query may look like on the wire; Node hands out those above ASCII as they are. */
const queryByte = fc
  .tuple(fc.nat(255), fc.boolean())
  .map(([byte, isRaw]) =>
    isRaw && byte > 0x7f ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
  );

function isUtf8InEscapes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return !/[\x80-\xff]/.test(text);
  } catch {
    return false;
  }
}

test('A-504: a query is UTF-8 in escapes, in its names and its values, on any path', async () => {
  const list = goodRequests.find(
    ({ route }) => route.path === '/api/v1/executions' && route.method === 'GET',
  )!;
  const refused = async (target: string) => {
    expect([target, await send(list, target)]).toEqual([target, { status: 400, acts: [] }]);
  };
  const wrong = fc
    .array(queryByte, { minLength: 1, maxLength: 6 })
    .map((bytes) => bytes.join(''))
    .filter((text) => !isUtf8InEscapes(text));
  await fc.assert(
    fc.asyncProperty(wrong, fc.constantFrom('limit=1&q=', 'agent=x', ''), (text, before) =>
      refused(`${list.target}?${before}${text}${before === '' ? '=1' : ''}`),
    ),
    { numRuns: numRuns / 2 },
  );
  for (const text of ['%ff%ff%ff', '%ed%a0%80', '%c0%af', '%f4%90%80%80', '%e2%82', '\xff', '\xc3\xbc'])
    for (const path of [`${list.target}?limit=1&q=`, '/?q=', '/nowhere?q=']) await refused(path + text);
  for (const text of ['x', '%c3%bc', '%f0%9f%98%80', 'a+b'])
    expect([text, (await send(list, `${list.target}?agent=${text}`)).status]).toEqual([text, 200]);
});
