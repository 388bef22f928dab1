import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpGateway, loopback, startHttpGateway } from './http-gateway.ts';
import { type RawAnswer, rawHttp, requestText } from './raw-http.ts';

const http = {
  ...loopback,
  url: 'https://warden.example',
  trustProxy: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }],
} as const;

let door: HttpGateway;
beforeAll(async () => {
  const limits = { connections: 1024, perAddress: 16, requestsPerSecond: 1000 };
  door = await startHttpGateway({ http, limits });
});
afterAll(() => door[Symbol.asyncDispose]());

/** As a proxy that keeps no connections asks for its client. */
function ask(client: string, target: string, lines: readonly string[] = []): Promise<RawAnswer> {
  const own = ['host: warden.example', `x-forwarded-for: 10.1.1.1, ${client}`, ...lines];
  return rawHttp(door.port, requestText(target, own));
}

const flood = 900;

const status = '/api/v1/status';
const made = { token: 'authorization: Bearer clw_x', session: 'cookie: __Host-clawrden=x' };
const kinds: [what: string, status: number, target: string, lines: string[]][] = [
  ['a path that is not there', 404, '/nowhere', []],
  ['what is for everybody', 200, '/healthz', []],
  ['what is for everybody, with a made-up token', 200, '/healthz', [made.token]],
  ['what needs a token, without one', 401, status, []],
  ['what needs a token, with a made-up one', 401, status, [made.token]],
  ['what needs a token, with a made-up session', 401, status, [made.session]],
  ['what needs a token, with a token and a session', 400, status, [made.token, made.session]],
  [
    'what needs a token, with a session and what is no token',
    400,
    status,
    ['authorization: Basic x', made.session],
  ],
  ['what needs a token, with two sessions', 400, status, [`${made.session}; __Host-clawrden=y`]],
  ['what a page of another site asks for', 403, status, [made.token, 'origin: https://else.example']],
  ['what is for another host', 421, status, [made.token, 'x-forwarded-host: else.example']],
  ['a path with an escape', 400, '/api/v1/%73tatus', [made.token]],
  ['a path with an escape that cannot be', 400, '/api/v1/%zz', [made.token]],
  ['an id that is too long', 400, `/api/v1/executions/${'x'.repeat(200)}`, [made.token]],
];

test.each(kinds.map((kind, at) => [...kind, at] as const))(
  'A-411 A-461 P20: a client behind the proxy that floods with %s is told to come back, and shuts nobody out',
  async (_what, expected, target, lines, at) => {
    const client = `203.0.113.${at}`;
    const token = door.token('viewer');
    const answers = await Promise.all(Array.from({ length: flood }, () => ask(client, target, lines)));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([expected, 429]));
    expect(refused[0]?.text).toMatch(/retry-after: \d/i);
    expect(refused[0]?.text).toContain('"rate-limit"');
    expect((await ask('198.51.100.1', target, lines)).status).toBe(expected);
    // Who shows a token pays with it, also at the same address.
    for (const from of [client, '198.51.100.2'])
      expect((await ask(from, status, [`authorization: Bearer ${token}`])).status).toBe(200);
  },
  30_000,
);
