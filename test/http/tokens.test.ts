import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { triesAtMost } from '../../gateway/connections/wrong-tries.ts';
import { openPrincipals, type Principals } from '../../gateway/principals/open-principals.ts';
import { openRecords, type Records } from '../../gateway/start/open-records.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { type HttpGateway, loopback, startHttpGateway } from './http-gateway.ts';
import { rawHttp, requestText } from './raw-http.ts';

interface Site extends AsyncDisposable {
  readonly door: HttpGateway;
  readonly principals: Principals;
  readonly make: (name: string) => Promise<string>;
}

const { privateKey } = generateKeyPairSync('ed25519');

/** A door before a real record of tokens. */
async function startSite(dir: string, proxy?: string): Promise<Site> {
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  const records: Records = await openRecords(config, privateKey, 'test');
  const first = new Map([['admin', { role: 'admin' as const, scope: {} }]]);
  const principals = await openPrincipals({ ...records, first, agents: () => new Map() });
  const trustProxy = proxy === undefined ? [] : [{ address: proxy, prefix: 32, family: 'ipv4' as const }];
  const http = { ...loopback, trustProxy, ...(proxy !== undefined && { url: 'https://warden.example' }) };
  const door = await startHttpGateway({ http, tokens: principals.apiTokens });
  return {
    ...{ door, principals },
    make: async (name) => {
      const wanted = { name, role: 'viewer' as const, scope: {}, agent: '', until: undefined };
      const made = await principals.apiTokens.create(wanted, 'person:admin');
      if ('refused' in made) throw new Error(made.refused);
      return made.value.text;
    },
    [Symbol.asyncDispose]: async () => {
      await door[Symbol.asyncDispose]();
      await principals.apiTokens.close();
      await records.close();
    },
  };
}

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-tokens-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const status = '/api/v1/status';

/** One request from that address; `lines` besides the host. */
async function ask({ port }: HttpGateway, from: string, lines: readonly string[], target = status) {
  const own = lines.some((line) => line.startsWith('Host:')) ? lines : [`Host: 127.0.0.1:${port}`, ...lines];
  return await rawHttp(port, requestText(target, own), from);
}

const bearer = (token: string) => `Authorization: Bearer ${token}`;

test('P17 P20: a source has ten wrong tokens a minute, all at once or in turn; others and who is known go on', async () => {
  await using site = await startSite(dir);
  const [known, fresh] = [await site.make('known'), await site.make('fresh')];
  const { door } = site;
  expect((await ask(door, '127.5.0.1', [bearer(known)])).status).toBe(200);
  const wrong = Array.from({ length: 40 }, (_, at) =>
    ask(door, '127.5.0.1', [bearer(`clw_${at}${'x'.repeat(40)}`)]),
  );
  const told = (await Promise.all(wrong)).map((answer) => answer.status);
  expect(told.filter((each) => each === 401).length).toBe(triesAtMost);
  expect(told.filter((each) => each === 429).length).toBe(40 - triesAtMost);
  // A right one that was never shown from there is a try, too.
  const refused = await ask(door, '127.5.0.1', [bearer(fresh)]);
  expect([refused.status, /retry-after: (\d+)/i.exec(refused.text)?.[1]]).toEqual([
    429,
    expect.stringMatching(/^[1-5]\d$|^60$/),
  ]);
  expect((await ask(door, '127.5.0.1', [bearer(known)])).status).toBe(200);
  expect((await ask(door, '127.5.0.2', [bearer(fresh)])).status).toBe(200);
});

test('P17 P20: behind a proxy the source is what the proxy says, not what the caller says', async () => {
  await using site = await startSite(dir, '127.0.0.1');
  const { door } = site;
  const from = (forwarded: string, token: string) =>
    ask(door, '127.0.0.1', [
      'Host: warden.example',
      `X-Forwarded-For: ${forwarded}`,
      'X-Real-IP: 10.9.9.9',
      bearer(token),
    ]);
  const made = fc.sample(fc.ipV4(), { numRuns: 30, seed: 7 });
  const told: number[] = [];
  for (const invented of made) told.push((await from(`${invented}, 198.51.100.7`, 'clw_wrong')).status);
  expect(told).toEqual(made.map((_, at) => (at < triesAtMost ? 401 : 429)));
  const token = await site.make('ci');
  expect((await from('198.51.100.7, 203.0.113.9', token)).status).toBe(200);
});

test('P17: a token of another gateway, a part of one and the text of its digest let nobody in', async () => {
  const [mineDir, otherDir] = [join(dir, 'mine'), join(dir, 'other')];
  for (const each of [mineDir, otherDir]) await mkdir(each);
  await using mine = await startSite(mineDir);
  await using other = await startSite(otherDir);
  const [own, foreign] = [await mine.make('ci'), await other.make('ci')];
  expect((await ask(mine.door, '127.5.1.1', [bearer(own)])).status).toBe(200);
  expect((await ask(other.door, '127.5.1.1', [bearer(foreign)])).status).toBe(200);
  const shown = [
    foreign,
    own.slice(0, -1),
    `${own}A`,
    own.slice(4),
    own.toLowerCase(),
    'clw_',
    'ci',
    'program:ci',
  ];
  for (const [at, token] of shown.entries()) {
    const answer = await ask(mine.door, `127.5.2.${1 + at}`, [bearer(token)]);
    expect([token, answer.status]).toEqual([token, 401]);
    if (token.length > 12) expect(answer.text).not.toContain(token);
  }
});

test('P17: a token counts in Authorization and nowhere else, and stands in no log', async () => {
  await using site = await startSite(dir);
  const { door } = site;
  const token = await site.make('ci');
  const basic = Buffer.from(`ci:${token}`).toString('base64');
  const places: readonly [string, readonly string[]][] = [
    ...['token', 'access_token', 'authorization', 'bearer', 'key'].map((name): [string, string[]] => [
      `${status}?${name}=${token}`,
      [],
    ]),
    [`${status}?authorization=Bearer%20${token}`, []],
    [`/${token}${status}`, []],
    [`${status}/${token}`, []],
    ...[
      'Cookie: token=T',
      'Cookie: authorization=Bearer T',
      'X-Api-Key: T',
      'X-Auth-Token: T',
      'Proxy-Authorization: Bearer T',
      'X-Authorization: Bearer T',
      'Authorization: T',
      'Authorization: Token T',
      'Authorization: Bearer: T',
      'Authorization: Bearer "T"',
      'Authorization: Bearer\tT',
      'Authorization: Bearer T, Bearer T',
      'Authorization: Bearer T x',
      'Sec-WebSocket-Protocol: bearer, T',
      `Authorization: Basic ${basic}`,
    ].map((line): [string, string[]] => [
      status,
      [
        line
          .replaceAll(' T', ` ${token}`)
          .replaceAll('=T', `=${token}`)
          .replaceAll('"T"', `"${token}"`)
          .replaceAll('\tT', `\t${token}`),
      ],
    ]),
  ];
  for (const [at, [target, lines]] of places.entries()) {
    const answer = await ask(door, `127.5.3.${1 + at}`, lines, target);
    expect([target, lines, answer.status === 401 || answer.status === 404 || answer.status === 400]).toEqual([
      target,
      lines,
      true,
    ]);
    expect(answer.text).not.toContain(token);
  }
  for (const line of [bearer(token), `AUTHORIZATION: bearer ${token}`, `Authorization: BEARER ${token} `])
    expect([line, (await ask(door, '127.5.4.1', [line])).status]).toEqual([line, 200]);
  expect(door.log.join('')).not.toContain(token.slice(4));
});
