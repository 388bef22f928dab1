import { describe, expect, it, test } from 'vitest';
import { plannedRoute } from '../egress/route.ts';
import { parseGatewayConfig } from './load-gateway-config.ts';

const whole = `
secrets: { npm-read: { file: npm }, key: { env: MODEL_KEY }, db: { command: [vault, kv, get], ttl: 5m } }
routes:
  npm: { to: "https://Registry.example/", methods: [GET, HEAD], headers: { Authorization: "Bearer {npm-read}" } }
  model: { to: "http://models.corp:8080/v1/", private: true, headers: { x-api-key: "{key}", x-two: "{key}-{npm-read}" } }
  own: { to: "https://own.example/", ca: ca.pem, environment: { OWN_URL: "{url}v1" } }
egress: { proxy: "http://proxy.corp:3128" }
`;

test('routes, secrets and the proxy arrive, with paths that are absolute', () => {
  const config = parseGatewayConfig(whole, '/srv/gw/gateway.yaml');
  expect(config.secrets).toEqual(
    new Map([
      ['npm-read', { file: '/srv/gw/npm' }],
      ['key', { env: 'MODEL_KEY' }],
      ['db', { command: ['vault', 'kv', 'get'], ttl: 300_000 }],
    ]),
  );
  expect(config.egress).toEqual({ proxy: { name: 'proxy.corp', port: 3128 } });
  expect(config.routes[2]).toMatchObject({
    name: 'own',
    ca: '/srv/gw/ca.pem',
    methods: ['GET', 'HEAD', 'POST'],
    environment: { OWN_URL: '{url}v1' },
  });
  expect(config.routes.slice(0, 2).map(plannedRoute)).toEqual([
    {
      ...{ name: 'npm', to: 'https://registry.example/', methods: ['GET', 'HEAD'] },
      ...{ headers: ['Authorization'], secrets: ['npm-read'] },
    },
    {
      ...{
        name: 'model',
        to: 'http://models.corp:8080/v1/',
        methods: ['GET', 'HEAD', 'POST'],
        private: true,
      },
      ...{ headers: ['x-api-key', 'x-two'], secrets: ['key', 'npm-read'] },
    },
  ]);
});

describe('refused:', () => {
  it.each([
    ['{ mcp: { to: "https://a.example/" } }', 'is the name of a door'],
    ['{ Npm: { to: "https://a.example/" } }', 'a route must have a name'],
    ['{ a: { to: "https://a.example" } }', 'must be https://HOST'],
    ['{ a: { to: "https://u:p@a.example/" } }', 'must be https://HOST'],
    ['{ a: { to: "https://a.example/x/../" } }', 'must be https://HOST'],
    ['{ a: { to: "https://a.example/?q" } }', 'must be https://HOST'],
    ['{ a: { to: "ftp://a.example/" } }', 'must be https://HOST'],
    ['{ a: { to: "http://a.example/" } }', 'must be https, or private: true'],
    ['{ a: { to: "https://127.0.0.1/", private: true } }', 'never reached'],
    ['{ a: { to: "https://10.0.0.1/" } }', 'is not public'],
    ['{ a: { to: "http://a.corp/", private: true, ca: x } }', 'is for https only'],
    ['{ a: { to: "https://a.example/", methods: [CONNECT] } }', 'must be one of GET'],
    ['{ a: { to: "https://a.example/", methods: [TRACE] } }', 'must be one of GET'],
    ['{ a: { to: "https://a.example/", headers: { Host: x } } }', 'belongs to the connection'],
    ['{ a: { to: "https://a.example/", headers: { transfer-encoding: x } } }', 'belongs to the connection'],
    ['{ a: { to: "https://a.example/", headers: { "a b": x } } }', 'a header must have a name'],
    ['{ a: { to: "https://a.example/", headers: { X: "{gone}" } } }', 'there is no secret "gone"'],
    ['{ a: { to: "https://a.example/", headers: { X: "{toString}" } } }', 'must be one line of ASCII'],
    ['{ a: { to: "https://a.example/", headers: { X: "{a" } } }', 'must be one line of ASCII'],
    ['{ a: { to: "https://a.example/", headers: { X: "a\\nb" } } }', 'must be one line of ASCII'],
    ['{ a: { to: "https://a.example/", environment: { PATH: "{url}" } } }', 'is never set by a route'],
    ['{ a: { to: "https://a.example/", environment: { "A B": "{url}" } } }', 'a variable must have a name'],
    ['{ a: { to: "https://a.example/", environment: { A: "a\\nb" } } }', 'must be one line of ASCII'],
    ['{ a: { to: "https://a.example/", headers: { X-A: "1", x-a: "2" } } }', 'names a header twice'],
  ])('%s', (routes, problem) => {
    expect(() => parseGatewayConfig(`routes: ${routes}`, 'g.yaml')).toThrow(problem);
  });

  it.each([
    ['secrets: { a: "text" }', 'a credential never stands in this file'],
    [
      'secrets: { a: { file: x, env: Y } }',
      'must be { file: PATH }, { env: NAME } or { command: [PROGRAM, ARG...] }',
    ],
    ['secrets: { a: { command: [] } }', 'must be { file: PATH }'],
    ['secrets: { a: { command: [vault], ttl: 8d } }', 'must be { file: PATH }'],
    ['secrets: { a: { command: vault } }', 'must be { file: PATH }'],
    ['egress: { proxy: "https://p:1" }', 'must be http://HOST:PORT'],
    ['egress: { proxy: "http://u:p@p:1" }', 'must be http://HOST:PORT'],
    ['egress: { proxy: "http://p" }', 'must be http://HOST:PORT'],
  ])('%s', (text, problem) => {
    expect(() => parseGatewayConfig(text, 'g.yaml')).toThrow(problem);
  });
});
