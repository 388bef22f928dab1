import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plannedRoute, type Route } from '../../src/egress/route.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { openDoor, sayAtDoor } from './door-client.ts';
import type { DoorFacts, DoorOrder } from './door-main.ts';
import { ask, mayMakeNamespaces, startNamespaces, type TwoNamespaces } from './two-namespaces.ts';

const key = 'key-of-the-model-1';
const zone = {
  'models.example': [['20.0.0.1']],
  'engine.example': [['20.0.0.8']],
  'inside.example': [['10.0.0.1']],
  'wrong.example': [['20.0.0.2']],
};

describe.skipIf(!mayMakeNamespaces)('a route', () => {
  let site: TwoNamespaces;
  let routes: Route[] = [];
  const order = async (what: DoorOrder) => await ask<DoorFacts>(site.gateway, what);
  const say = async (text: string) => await sayAtDoor(site.folder, text);
  const use = async (all: readonly Route[], planned = all.map(plannedRoute)) =>
    await order({ reach: { network: 'thinking', allow: [], routes: planned }, routes: all });

  beforeAll(async () => {
    site = await startNamespaces('door-main.ts');
    const authority = await makeAuthority('test');
    const tls = await issueServerCertificate(authority, ['models.example', 'inside.example']);
    const ca = join(site.folder, 'ca.pem');
    await writeFile(ca, authority.certificate);
    await writeFile(join(site.folder, 'model-key'), `${key}\n`);
    await site.internet({ tls: { cert: tls.certificate, key: tls.key } });
    await site.internet({ zone });
    const secretly = (secret: string, text = '') => [{ text: text || 'Bearer ' }, { secret }];
    const own = { methods: ['GET', 'POST'], private: false, environment: {}, ca };
    routes = [
      {
        ...{ ...own, name: 'model', to: 'https://models.example/api/' },
        headers: [
          { name: 'X-Api-Key', parts: [{ secret: 'model-key' }] },
          { name: 'Authorization', parts: secretly('token') },
        ],
      },
      {
        ...own,
        name: 'plain',
        to: 'http://inside.example:8080/',
        private: true,
        headers: [],
        ca: undefined as never,
      },
      { ...own, name: 'inside', to: 'https://inside.example/', headers: [] },
      { ...own, name: 'wrong', to: 'https://wrong.example/', headers: [] },
      {
        ...own,
        name: 'bare',
        to: 'https://models.example/',
        headers: [{ name: 'X-A', parts: secretly('gone') }],
      },
    ];
  });
  afterAll(() => site[Symbol.asyncDispose]());
  beforeEach(async () => {
    await order({ tell: 'all' });
    await site.internet({ tell: 'seen' });
    await use(routes);
  });

  function request(line: string, headers = '', body = ''): string {
    return `${line} HTTP/1.1\r\nHost: 127.0.0.1:3128\r\n${headers}\r\n${body}`;
  }

  it('adds its headers and its secrets, over TLS that the gateway makes', async () => {
    const answer = await say(
      request('POST /model/v1/messages?a=b', 'X-Mine: 1\r\nContent-Length: 2\r\n', 'hi'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*POST \/api\/v1\/messages\?a=b hi/);
    const { requests, connections } = await site.internet({ tell: 'seen' });
    expect(connections).toEqual(['20.0.0.1:443']);
    expect(requests[0]?.rawHeaders).toEqual([
      ...['Host', 'models.example', 'X-Mine', '1', 'Content-Length', '2'],
      ...['X-Api-Key', key, 'Authorization', 'Bearer token-of-the-environment', 'Connection', 'close'],
    ]);
    const { records } = await order({ tell: 'all' });
    expect(records).toMatchObject([{ route: 'model', to: 'models.example:443', outcome: 'closed' }]);
    expect(JSON.stringify(records)).not.toContain(key);
  });

  it('takes a secret as it is at that moment', async () => {
    await writeFile(join(site.folder, 'model-key'), 'key-of-the-model-2\n');
    await say(request('GET /model/x'));
    const { requests } = await site.internet({ tell: 'seen' });
    await writeFile(join(site.folder, 'model-key'), `${key}\n`);
    expect(requests[0]?.rawHeaders).toContain('key-of-the-model-2');
  });

  it('takes its headers out of those of the answer, under whatever name they come', async () => {
    const answer = await say(request('GET /model/echo-headers', 'X-Mine: 1\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('X-Fine: yes');
    expect(answer).toContain('X-Echo-X-Mine: 1');
    expect(answer).not.toContain(key);
    expect(answer).not.toContain('token-of-the-environment');
  });

  it('streams: an event comes before the next word is sent', async () => {
    const socket = openDoor(site.folder);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.write(request('POST /model/stream', 'Transfer-Encoding: chunked\r\n'));
    for (const word of ['one', 'two']) {
      socket.write(`3\r\n${word}\r\n`);
      await expect.poll(() => text).toContain(`data: ${word}`);
    }
    socket.write('0\r\n\r\n');
    await expect.poll(() => text).toContain('data: end');
  });

  it.each([
    ...['GET /model/../x', 'GET /model/%2e%2e/x', 'GET /model//x', 'GET /model/a%5cb', 'GET /model/..%2fx'],
    ...['GET /model/a\\b', 'GET //model/x', 'GET /model/%252e%252e/x'],
  ])('A-63: %s is refused', async (line) => {
    expect(await say(request(line))).toMatch(/^HTTP\/1\.1 400 clawrden: egress-invalid: /);
    expect(await site.internet({ tell: 'seen' })).toMatchObject({ connections: [] });
  });

  const refused: readonly (readonly [line: string, headers: string, why: string])[] = [
    ['GET /other/x', '', '/other/ is not a route of network thinking'],
    ['PUT /model/x', '', 'route model takes no PUT'],
    ['TRACE /model/x', '', 'route model takes no TRACE'],
    ['GET /model/x', 'X-API-Key: mine\r\n', 'route model adds the header X-API-Key itself: leave it out'],
    ...[
      ...['X-HTTP-Method-Override: DELETE', 'x_http_method: DELETE', 'X-Method-Override: PUT'],
      ...['X-Original-URL: /admin', 'X-Rewrite-URL: /admin', 'X-Forwarded-Prefix: ..', 'Forwarded: host=x'],
    ].map((header) => {
      const text = `route model takes no header ${header.split(':')[0]}: it may stand in for its path or method`;
      return ['POST /model/x', `${header}\r\nContent-Length: 0\r\n`, text] as const;
    }),
    ['GET /model/x', 'x_api_key: mine\r\n', 'route model adds the header x_api_key itself: leave it out'],
    ['GET /inside/x', '', 'inside.example:443 has an address that may not be reached'],
  ];

  it.each(refused)('A-63: %s with %j is refused, and nothing goes out', async (line, headers, why) => {
    expect(await say(request(line, headers))).toContain(`HTTP/1.1 403 clawrden: egress-denied: ${why}\r\n`);
    expect(await site.internet({ tell: 'seen' })).toMatchObject({ connections: [] });
  });

  it('A-63: is at no other host', async () => {
    const answer = await say('GET /model/x HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    expect(answer).toContain(
      '403 clawrden: egress-denied: route model is at 127.0.0.1:3128 and at no other host',
    );
  });

  it('that has changed since it was planned is refused', async () => {
    const [model, ...rest] = routes;
    const elsewhere = { ...model!, to: 'https://wrong.example/' };
    await use([elsewhere, ...rest], routes.map(plannedRoute));
    expect(await say(request('GET /model/x'))).toContain(
      'route model is not what it was when this was planned',
    );
  });

  it('whose secret cannot be read says so, and not what the secret is', async () => {
    expect(await say(request('GET /bare/x'))).toContain(
      '502 clawrden: egress-unreachable: secret-unavailable: route bare has no credentials now',
    );
    const { records } = await order({ tell: 'all' });
    expect(records).toMatchObject([
      { outcome: 'unreachable', text: expect.stringContaining('secrets.gone') },
    ]);
  });

  it('goes to no server whose certificate is another', async () => {
    expect(await say(request('GET /wrong/x'))).toContain(
      '502 clawrden: egress-unreachable: wrong.example has no TLS',
    );
    expect(await site.internet({ tell: 'seen' })).toMatchObject({ requests: [] });
  });

  it('may be plain and private, if gateway.yaml says so', async () => {
    expect(await say(request('GET /plain/x'))).toMatch(/200 OK[\s\S]*GET \/x /);
    expect(await site.internet({ tell: 'seen' })).toMatchObject({ connections: ['10.0.0.1:8080'] });
  });

  it('goes through the proxy of the company, which gets the name', async () => {
    const reach = { network: 'thinking', allow: [{ to: '20.0.0.9:7' }, { to: 'forbidden.example:7' }] };
    await order({
      reach: { ...reach, routes: routes.map(plannedRoute) },
      ...{ routes, proxy: { name: '20.9.9.9', port: 3128 } },
    });
    expect(await say(request('GET /model/x'))).toMatch(/200 OK[\s\S]*GET \/api\/x /);
    const { requests, connections, asked } = await site.internet({ tell: 'seen' });
    expect(requests[0]).toMatchObject({ method: 'CONNECT', url: 'models.example:443' });
    expect(connections[0]).toBe('20.9.9.9:3128');
    expect(asked).not.toContain('models.example');
    const tunnel = async (to: string) => (await say(`CONNECT ${to} HTTP/1.1\r\n\r\n`)).split('\r\n')[0];
    expect(await tunnel('20.0.0.9:7')).toMatch(/403 .*the proxy is asked for names only/);
    expect(await tunnel('forbidden.example:7')).toMatch(/502 .*forbidden\.example:7 cannot be reached/);
  });
});
