import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plannedRoute, type Route } from '../../src/egress/route.ts';
import { openDoor, sayAtDoor } from './door-client.ts';
import type { DoorFacts, DoorOrder } from './door-main.ts';
import { folded, readOne } from './one-request.ts';
import { climbing, forwarded, manyHeaders, routed } from './smuggle-grammar.ts';
import { ask, mayMakeNamespaces, startNamespaces, type TwoNamespaces } from './two-namespaces.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 2000 : 240;
/** After so many, a way out serves fifty a second. */
const ofOneWay = 240;
const answeredWithinMs = 250;
const key = 'key-of-the-route-1';

const route: Route = {
  ...{ name: 'plain', to: 'http://registry.example:81/api/', private: true, environment: {} },
  methods: ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS'],
  headers: [{ name: 'X-Api-Key', parts: [{ secret: 'model-key' }] }],
};

describe.skipIf(!mayMakeNamespaces)('a server at the end of the way out', () => {
  let site: TwoNamespaces;
  const order = async (what: DoorOrder) => await ask<DoorFacts>(site.gateway, what);
  const use = async (idleMs = 300_000, limits = {}) => {
    const reach = {
      network: 'registry',
      allow: [{ to: 'registry.example:81' }],
      routes: [plannedRoute(route)],
    };
    await order({ reach, routes: [route], idleMs, limits });
  };
  const seen = async () => await site.internet({ tell: 'seen' });

  beforeAll(async () => {
    site = await startNamespaces('door-main.ts');
    await writeFile(join(site.folder, 'model-key'), `${key}\n`);
    await site.internet({ zone: { 'registry.example': [['20.0.0.1']], 'other.example': [['20.0.0.3']] } });
  });
  afterAll(() => site[Symbol.asyncDispose]());
  beforeEach(async () => {
    await order({ tell: 'all' });
    await seen();
    await use();
  });

  /** Sends each text over a connection of its own, some at once; what came out. */
  async function sendAll(texts: readonly string[]): Promise<readonly string[]> {
    const raw: string[] = [];
    for (let at = 0; at < texts.length; at += 16) {
      if (at % ofOneWay === 0) await use();
      await Promise.all(texts.slice(at, at + 16).map(send));
      await order({ tell: 'all' });
      const now = await seen();
      expect(now.connections.filter((to) => to !== '20.0.0.1:81')).toEqual([]);
      raw.push(...now.raw);
    }
    return raw;
  }

  async function send(text: string): Promise<void> {
    const socket = openDoor(site.folder);
    socket.write(Buffer.from(text, 'latin1'));
    // What is no whole request would be waited for.
    const over = setTimeout(() => socket.end(), answeredWithinMs);
    await buffer(socket).catch(() => {});
    clearTimeout(over);
    // The other side reads on for a moment.
    socket.destroy();
  }

  /** `fc.sample` prints no seed. */
  function sampled(what: fc.Arbitrary<string>): readonly string[] {
    const seed = Number(process.env['CLAWRDEN_SEED'] ?? Date.now() % 2 ** 31);
    console.info(`seed ${seed}: CLAWRDEN_SEED=${seed} makes the same requests`);
    return fc.sample(what, { numRuns, seed });
  }

  it('A-261: gets one request of a connection, of one reading, whatever a client sends', async () => {
    const raw = await sendAll(sampled(forwarded));
    expect(raw.length).toBeGreaterThan(numRuns / 20);
    for (const text of raw) {
      const { target, headers } = readOne(text);
      expect(target).toMatch(/^\/(?:in)?(?:\?a(?:=b)?)?$/);
      expect(headers).toContainEqual(['Host', 'registry.example:81']);
      expect(headers).toContainEqual(['Connection', 'close']);
    }
  });

  it('A-261: gets the header of a route from the gateway and from nobody else', async () => {
    const raw = await sendAll(sampled(routed));
    expect(raw.length).toBeGreaterThan(numRuns / 20);
    for (const text of raw) {
      const { target, headers } = readOne(text);
      expect(target).toMatch(/^\/api\/v1\/in(?:\?x=\/\.\.\/y)?$/);
      expect(headers.filter(([name]) => folded(name) === 'x-api-key')).toEqual([['X-Api-Key', key]]);
      expect(headers).toContainEqual(['Host', 'registry.example:81']);
    }
  });

  it.each([
    ['length', (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
    [
      'coding',
      (body: string) =>
        `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('A-292 P14: gets one request if its %s stands behind a thousand headers', async (_what, framed) => {
    const head = `POST /plain/v1/in HTTP/1.1\r\nHost: 127.0.0.1:3128\r\n${manyHeaders}`;
    const [text = ''] = await sendAll([
      head + framed('DELETE / HTTP/1.1\r\nHost: registry.example:81\r\n\r\n'),
    ]);
    expect(readOne(text).method).toBe('POST');
    expect(text).toContain('DELETE / HTTP/1.1');
  });

  it('A-261: gets no path that any reading leads above that of its route', async () => {
    const request = (path: string) => `GET /plain/${path} HTTP/1.1\r\nHost: 127.0.0.1:3128\r\n\r\n`;
    const raw = await sendAll(sampled(climbing.map(request)));
    expect(raw.length).toBeGreaterThan(numRuns / 20);
    for (const text of raw) {
      const [path = ''] = readOne(text).target.split('?');
      for (const reading of readings(path))
        expect([path, reading]).toEqual([path, expect.stringMatching(/^\/api\//)]);
      expect(text).toContain(key);
    }
  });

  it.each([
    'upgrade',
    'garbage',
    'two-lengths',
    'length-and-chunks',
    'folded',
    'line-feeds',
    'hints',
    'headers',
  ])('A-65: that answers by %s gets nothing through but the error', async (what) => {
    const line = `http://registry.example:81/answer-${what}`;
    const answer = await sayAtDoor(site.folder, `GET ${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 502 clawrden: egress-unreachable: [\x20-\x7e]+\r\n/);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    const { records } = await order({ tell: 'all' });
    expect(records).toMatchObject([{ outcome: 'unreachable' }]);
  });

  it('A-65: that answers twice is heard once', async () => {
    const answer = await sayAtDoor(
      site.folder,
      'GET http://registry.example:81/answer-two HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(answer.match(/fine/g)).toHaveLength(1);
  });

  it('A-65: that never answers, or never ends, costs its connection only', async () => {
    await use(500, { down: 2_000_000 });
    const before = await order({ tell: 'all' });
    const answerTo = async (what: string) =>
      await sayAtDoor(
        site.folder,
        `GET http://registry.example:81/answer-${what} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
    expect(await answerTo('never')).toMatch(/^HTTP\/1\.1 504 clawrden: egress-late: /);
    expect((await answerTo('body')).length).toBeLessThan(2_100_000);
    const { records, rss } = await order({ tell: 'all' });
    expect(records.map(({ outcome }) => outcome)).toEqual(['late', 'limit']);
    expect(rss - before.rss).toBeLessThan(64 * 1024 * 1024);
  });
});

/** Where servers that decode, as often as they like, and take other characters for `.`, `/` and `;` are led. */
function readings(path: string): string[] {
  const all = [path];
  for (let text = path, next = decode(text); next !== text; text = next, next = decode(text)) all.push(next);
  return all.flatMap((text) => [text, wide(text)]).map(resolved);
}

function decode(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `text` has a character for each byte. */
function wide(text: string): string {
  const bytes = text.replaceAll(/\xc0\xae|\xe0\x80\xae/g, '.').replaceAll('\xc0\xaf', '/');
  return Buffer.from(bytes, 'latin1').toString().normalize('NFKC');
}

function resolved(text: string): string {
  const kept: string[] = [];
  for (const segment of text.replaceAll('\\', '/').split('/').slice(1)) {
    const name = segment.split(/[;?#]/)[0]?.replace(/^ +| +$/g, '') ?? '';
    if (name === '..') kept.pop();
    else if (name !== '.' && (name !== '' || segment !== '')) kept.push(name);
  }
  return `/${kept.join('/')}/`;
}
