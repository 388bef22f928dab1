import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeStatuses } from '../../gateway/http/describe-statuses.ts';
import { callRules } from '../../gateway/principals/call-rules.ts';
import { problem } from '../../src/http-api/problem.ts';
import { callOf, routes } from '../../src/http-api/routes.ts';
import { status } from '../../src/http-api/status.ts';
import { type HttpGateway, loopback, startHttpGateway } from './http-gateway.ts';
import { rawHttp, readAnswer, requestText } from './raw-http.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 5_000 : 150;

let gateway: HttpGateway;
let viewer: string;
beforeAll(async () => {
  const pace = { headersMs: 400, requestMs: 900, idleMs: 500, takenMs: 300, stalledMs: 500 };
  gateway = await startHttpGateway({ pace });
  viewer = gateway.token('viewer');
});
afterAll(() => gateway[Symbol.asyncDispose]());

const own = () => [`host: 127.0.0.1:${gateway.port}`, `authorization: Bearer ${viewer}`];
let sent = 0;
const raw = async (target: string, lines = own(), method = 'GET', body = '') => {
  sent += 1;
  const from = `127.1.${sent >> 7}.${1 + (sent & 127)}`;
  return rawHttp(gateway.port, requestText(target, lines, method, body), from);
};

async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return problem.parse(await response.json());
}

test('the gateway says that it is there to anybody, and how it is to a viewer', async () => {
  const health = await gateway.fetch('/healthz');
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  const answer = await gateway.fetch('/api/v1/status', { token: viewer });
  expect(answer.status).toBe(200);
  expect(status.parse(await answer.json())).toMatchObject({ lockdown: false });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await gateway.fetch('/readyz', { token: viewer })).status).toBe(200);
});

test('P17: every route is in the table of roles, and no other', () => {
  const rows = [...callRules.keys()].filter((call) => call.includes(' /') && !call.startsWith('POST /mcp'));
  expect(rows.toSorted()).toEqual(Object.values(routes).map(callOf).toSorted());
});

test('a scope is refused what is about more than its agents', async () => {
  const token = gateway.token('admin', { scope: { team: 'web' } });
  const answer = await gateway.fetch('/api/v1/status', { token });
  expect((await problemOf(answer)).detail).toContain('more than the agents of your scope');
});

test('A-51: without a valid token every route but the open one is refused, also one in the URL', async () => {
  for (const headers of [
    {},
    { authorization: 'Bearer clw_none' },
    { authorization: `Basic ${viewer}` },
    { authorization: `Bearer  ${viewer}` },
    { cookie: `token=${viewer}` },
  ] as Record<string, string>[]) {
    const answer = await gateway.fetch('/api/v1/status', { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  }
  for (const query of [`token=${viewer}`, `access_token=${viewer}`])
    expect((await gateway.fetch(`/api/v1/status?${query}`)).status).toBe(401);
  expect((await gateway.fetch(`/api/v1/status?token=${viewer}`, { token: viewer })).status).toBe(400);
  const removed = gateway.token('viewer');
  expect((await gateway.fetch('/api/v1/status', { token: removed })).status).toBe(200);
  gateway.remove(removed);
  expect((await gateway.fetch('/api/v1/status', { token: removed })).status).toBe(401);
});

test('A-66 P17: another Host, another Origin and a page of another site are refused', async () => {
  const bearer = `authorization: Bearer ${viewer}`;
  const answers = async (lines: string[]) => (await raw('/api/v1/status', lines)).status;
  for (const host of [
    'evil.example',
    `evil.example:${gateway.port}`,
    '127.0.0.1',
    `127.0.0.1:${gateway.port}.evil`,
    '',
  ])
    expect([host, await answers([`host: ${host}`, bearer])]).toEqual([host, 421]);
  expect(await answers([bearer])).toBe(400);
  for (const line of [
    'origin: https://evil.example',
    'origin: null',
    `origin: http://127.0.0.1:${gateway.port + 1}`,
    `origin: http://127.0.0.1:${gateway.port}.evil.example`,
    'sec-fetch-site: cross-site',
    'sec-fetch-site: same-site',
  ])
    expect([line, await answers([...own(), line])]).toEqual([line, 403]);
  for (const line of [
    `origin: http://127.0.0.1:${gateway.port}`,
    `origin: http://localhost:${gateway.port}`,
    'sec-fetch-site: none',
  ])
    expect([line, await answers([...own(), line])]).toEqual([line, 200]);
});

test('A-66: methods are what they are: no override, no preflight, no HEAD, no upgrade', async () => {
  const target = '/api/v1/status';
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'])
    expect([method, (await raw(target, own(), method)).status]).toEqual([method, 405]);
  const override = ['x-http-method-override: DELETE', 'x-method-override: DELETE', '_method: DELETE'];
  expect((await raw(target, [...own(), ...override])).status).toBe(200);
  const preflight = await raw(target, [...own(), 'access-control-request-method: POST'], 'OPTIONS');
  expect(preflight.text.toLowerCase()).not.toContain('access-control-allow');
  const upgrade = ['upgrade: websocket', 'sec-websocket-key: x', 'sec-websocket-version: 13'];
  const upgraded = await raw(target, [...own(), ...upgrade, 'origin: https://evil.example']);
  expect(upgraded.status).toBe(403);
  expect((await raw(`127.0.0.1:${gateway.port}`, own(), 'CONNECT')).status).not.toBe(200);
});

const trick = fc.oneof(
  fc.constantFrom(
    '//',
    '/./',
    '/../',
    '%2e%2e/',
    '%2f',
    '\\',
    ';x=1',
    '%00',
    '/%2e/',
    '\t',
    '..;/',
    '%c0%af',
  ),
  fc.stringMatching(/^%[0-9a-f]{2}$/),
);

test('A-66: a path has one spelling', async () => {
  expect((await raw('/api/v1/status')).status).toBe(200);
  const path = '/api/v1/status';
  await fc.assert(
    fc.asyncProperty(trick, fc.nat(path.length), async (part, at) => {
      const target = path.slice(0, at) + part + path.slice(at);
      const { status: told } = await raw(target);
      // A "?" in front makes it a query, which is refused too.
      expect([target, told === 200]).toEqual([target, false]);
    }),
    { numRuns },
  );
  for (const target of [
    `http://127.0.0.1:${gateway.port}${path}`,
    `http://evil.example${path}`,
    '*',
    `${path}/`,
    '/API/v1/status',
    `${path}?x=1`,
    `${path}?x=1&x=2`,
    '/%68ealthz',
    '/healthz/',
  ])
    expect([target, (await raw(target)).status >= 400]).toEqual([target, true]);
});

test('a header that says two things is refused', async () => {
  const host = `host: 127.0.0.1:${gateway.port}`;
  for (const line of [host, `authorization: Bearer ${viewer}`, 'authorization: Bearer clw_other'])
    expect([line, (await raw('/api/v1/status', [...own(), line])).status]).toEqual([line, 400]);
  for (const lines of [
    ['content-length: 1', 'content-length: 2'],
    ['content-length: 3', 'transfer-encoding: chunked'],
    ['transfer-encoding: gzip, chunked'],
    ['content-length: 2'],
  ])
    expect([lines, (await raw('/api/v1/status', [...own(), ...lines], 'GET', '{}')).status]).toEqual([
      lines,
      400,
    ]);
});

test('A-58 P20: headers are 16 KiB at most', async () => {
  const long = (bytes: number) => raw('/api/v1/status', [...own(), `x-long: ${'a'.repeat(bytes)}`]);
  expect((await long(15_000)).status).toBe(200);
  expect((await long(17_000)).status).toBe(431);
  const many = Array.from({ length: 5000 }, (_, at) => `x${at}: 1`);
  expect((await raw('/api/v1/status', [...own(), ...many])).status).toBe(431);
});

test('what is no HTTP gets a problem and an end', async () => {
  for (const text of [
    '\x16\x03\x01\x02\x00\x01\x00\x01',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'nonsense\r\n\r\n',
    'GET /healthz HTTP/1.1\nhost: x\n\n',
  ])
    expect([text, (await rawHttp(gateway.port, text)).status]).toEqual([text, 400]);
  expect((await gateway.fetch('/healthz')).status).toBe(200);
  expect(gateway.faults()).toBe(0);
});

test('A-86 P20: who sends slowly is ended, whether headers or nothing', async () => {
  const slow = connect(gateway.port, '127.0.0.1');
  await once(slow, 'connect');
  slow.write('GET /healthz HTTP/1.1\r\n');
  expect((await readAnswer(slow)).status).toBe(408);
  const silent = connect(gateway.port, '127.0.0.1');
  await once(silent, 'connect');
  const { text } = await readAnswer(silent);
  expect(text).toMatch(/^(HTTP\/1.1 408|$)/);
});

test('A-88 P20: connections are bounded; those that show a token are not displaced', async () => {
  const limits = { connections: 8, perAddress: 8, requestsPerSecond: 1000 };
  await using small = await startHttpGateway({ limits });
  const token = small.token('viewer');
  const known = connect(small.port, '127.0.0.1');
  await once(known, 'connect');
  const ask = `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${small.port}\r\n\r\n`;
  const askAsViewer = `GET /api/v1/status HTTP/1.1\r\nhost: 127.0.0.1:${small.port}\r\nauthorization: Bearer ${token}\r\n\r\n`;
  known.write(askAsViewer);
  await once(known, 'data');
  const others = Array.from({ length: 30 }, () => connect(small.port, '127.0.0.1'));
  for (const socket of others) socket.on('error', () => {});
  await Promise.all(others.map((socket) => once(socket, 'connect')));
  await expect
    .poll(() => others.filter((socket) => socket.closed || socket.readableEnded || !socket.writable).length)
    .toBe(0)
    .catch(() => {});
  const last = others.at(-1);
  last?.write(ask);
  expect(String((await once(last!, 'data'))[0])).toContain('200 OK');
  known.write(askAsViewer);
  expect(String((await once(known, 'data'))[0])).toContain('200 OK');
  for (const socket of [...others, known]) socket.destroy();
});

test('P20: one principal has a rate, and is told when to come back', async () => {
  const limits = { connections: 64, perAddress: 64, requestsPerSecond: 5 };
  await using small = await startHttpGateway({ limits });
  const [busy, other] = [small.token('viewer', { name: 'busy' }), small.token('viewer', { name: 'other' })];
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => small.fetch('/api/v1/status', { token: busy })),
  );
  const refused = answers.filter((answer) => answer.status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(10);
  expect(refused.length).toBeGreaterThan(10);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await problemOf(refused[0]!)).toMatchObject({ code: 'rate-limit', status: 429 });
  expect((await small.fetch('/api/v1/status', { token: other })).status).toBe(200);
});

test('behind a proxy only the proxy connects, and its word about the host counts', async () => {
  const network = (address: string) => ({ address, prefix: 32, family: 'ipv4' }) as const;
  const url = 'https://warden.example';
  await using away = await startHttpGateway({
    http: { ...loopback, url, trustProxy: [network('10.0.0.1')] },
  });
  await expect(away.fetch('/healthz')).rejects.toThrow('fetch failed');
  await using near = await startHttpGateway({
    http: { ...loopback, url, trustProxy: [network('127.0.0.1')] },
  });
  const ask = async (lines: string[]) => (await rawHttp(near.port, requestText('/healthz', lines))).status;
  expect(await ask(['host: warden.example'])).toBe(200);
  expect(await ask(['host: upstream:1', 'x-forwarded-host: warden.example'])).toBe(200);
  expect(await ask(['host: warden.example', 'x-forwarded-host: evil.example'])).toBe(421);
  expect(await ask([`host: 127.0.0.1:${near.port}`])).toBe(421);
  expect(await ask(['host: warden.example', 'x-forwarded-proto: http'])).toBe(403);
  expect(await ask(['host: warden.example', 'x-forwarded-proto: https'])).toBe(200);
  for (const steps of ['https, http', 'http,https', 'HTTP', 'https,', 'https, ws'])
    expect([steps, await ask(['host: warden.example', `x-forwarded-proto: ${steps}`])]).toEqual([steps, 403]);
  expect(await ask(['host: warden.example', 'x-forwarded-proto: https, HTTPS'])).toBe(200);
});

test('docs/http.md names every route, and has the status of every reason code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/http.md'), 'utf8');
  const missing = Object.values(routes).filter((route) => !page.includes(`\`${callOf(route)}\``));
  expect(missing.map(callOf)).toEqual([]);
  expect(page).toContain(describeStatuses());
});
