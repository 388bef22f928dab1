import { expect, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { parseGatewayConfig } from './load-gateway-config.ts';

const whole = `
grpc: { listen: "[::]:9443" }
state: data
policy: /etc/clawrden/policy.yaml
limits: { queue-timeout: 1m, running: 50 }
warm: [{ agent: coder, tool: npm, size: 2 }]
hosts:
  - name: build-1
    engine: tcp://build-1.example:2376
    tls: { ca: ca.pem, cert: /abs/cert.pem, key: key.pem }
    labels: { zone: a }
    slots: 4
  - { name: here, engine: "unix:///var/run/docker.sock" }
agents:
  - name: coder
    relay: host-7
    users: ["1000:1000", 1001:1001]
    workspace: { volume: coder-app }
    hosts: { zone: a }
  - { name: plain, relay: host-7, users: ["1000:1000"], workspace: { bind: /srv/plain } }
`;

test('every key arrives, with defaults and absolute paths', () => {
  const config = parseGatewayConfig(whole, '/srv/gw/gateway.yaml');
  expect(config).toMatchObject({
    file: '/srv/gw/gateway.yaml',
    grpc: { listen: { host: '::', port: 9443 } },
    enroll: { listen: { host: '0.0.0.0', port: 8444 } },
    http: { listen: { host: '127.0.0.1', port: 8080 } },
    state: '/srv/gw/data',
    policy: '/etc/clawrden/policy.yaml',
    audit: '/srv/gw/audit.jsonl',
    limits: { running: 50, queued: 1000, queueTimeoutMs: 60_000, startTimeoutMs: 30_000 },
    warm: [{ agent: 'coder', tool: 'npm', size: 2 }],
  });
  expect(config.hosts).toEqual([
    {
      name: 'build-1',
      engine: 'tcp://build-1.example:2376',
      tls: { ca: '/srv/gw/ca.pem', cert: '/abs/cert.pem', key: '/srv/gw/key.pem' },
      labels: { zone: 'a' },
      slots: 4,
      warm: 8,
      starts: 3,
    },
    { name: 'here', engine: 'unix:///var/run/docker.sock', labels: {}, slots: 8, warm: 8, starts: 3 },
  ]);
  expect(config.agents).toEqual([
    {
      name: 'coder',
      relay: 'host-7',
      users: [
        { uid: 1000, gid: 1000 },
        { uid: 1001, gid: 1001 },
      ],
      labels: {},
      cwd: '/app',
      workspace: { kind: 'volume', source: 'coder-app' },
      hosts: { zone: 'a' },
    },
    {
      name: 'plain',
      relay: 'host-7',
      users: [{ uid: 1000, gid: 1000 }],
      labels: {},
      cwd: '/app',
      workspace: { kind: 'bind', source: '/srv/plain' },
      hosts: {},
    },
  ]);
});

test('files for ssh are relative to gateway.yaml too', () => {
  const hosts =
    'hosts: [{ name: a, engine: "ssh://u@h:2222", ssh: { identity: key, known-hosts: /etc/known } }]';
  expect(parseGatewayConfig(hosts, '/srv/gw/gateway.yaml').hosts[0]).toMatchObject({
    engine: 'ssh://u@h:2222',
    ssh: { identity: '/srv/gw/key', knownHosts: '/etc/known' },
  });
});

test('a file that only names its hosts is enough', () => {
  const config = parseGatewayConfig('hosts: []\n', '/srv/gateway.yaml');
  expect(config).toMatchObject({ policy: '/srv/policy.yaml', state: '/srv/state', agents: [] });
});

test.each([
  ['staet: x', 'g.yaml:1: staet: is not a known key (nearest valid key is "state")'],
  [
    'hosts: [{ name: a, engin: "unix:///s" }]',
    'hosts[0].engin: is not a known key (nearest valid key is "engine")',
  ],
  ['hosts: [{ name: a }]', 'hosts[0].engine: is missing'],
  ['hosts: [{ name: a, engine: "http://x" }]', 'must be unix:///PATH, tcp://HOST:PORT or ssh://'],
  [
    'hosts: [{ name: a, engine: "ssh://-oProxyCommand=x" }]',
    'must be unix:///PATH, tcp://HOST:PORT or ssh://',
  ],
  [
    'hosts: [{ name: a, engine: "ssh://u@h", ssh: { password: x } }]',
    'hosts[0].ssh.password: is not a known key',
  ],
  ['hosts: [{ name: a, engine: "unix:///s", ssh: {} }]', 'ssh is for ssh:// engines only'],
  [
    'hosts: [{ name: a, engine: "ssh://u@h", tls: { ca: a, cert: b, key: c } }]',
    'tls is for tcp:// engines only',
  ],
  ['hosts: [{ name: a, engine: "tcp://x:2375" }]', 'a tcp:// engine needs tls'],
  ['hosts: [{ name: a, engine: "tcp://127.0.0.1:2375" }]', 'a tcp:// engine needs tls'],
  [
    'hosts: [{ name: a, engine: "unix:///s", tls: { ca: a, cert: b, key: c } }]',
    'tls is for tcp:// engines only',
  ],
  ['hosts: [{ name: a, engine: "unix:///s", slots: 0 }]', 'hosts[0].slots: must be at least 1'],
  ['hosts: [{ name: a, engine: "unix:///s", slots: 1001 }]', 'hosts[0].slots: must be at most 1000'],
  ['hosts: [{ name: a, engine: "unix:///s", slots: 1.5 }]', 'hosts[0].slots: must be a whole number'],
  ['hosts: [{ name: a, engine: "unix:///s", memory: 16 }]', 'hosts[0].memory: must be a text'],
  ['hosts: [{ name: a, engine: "unix:///s", cpus: 0 }]', 'hosts[0].cpus: must be at least 0.1'],
  ['hosts: [{ name: A, engine: "unix:///s" }]', 'hosts[0].name: must be a name of a-z'],
  ['hosts: [{ name: ../a, engine: "unix:///s" }]', 'hosts[0].name: must be a name of a-z'],
  [
    'hosts:\n  - { name: a, engine: "unix:///s" }\n  - { name: a, engine: "unix:///t" }',
    'g.yaml:3: hosts[1].name: another host is named "a" already',
  ],
  ['agents: [{ name: a, relay: r, users: ["0:0"] }]', 'agents[0].users[0]: uid 0 is never accepted'],
  ['agents: [{ name: a, relay: r, users: [] }]', 'agents[0].users'],
  ['agents: [{ name: a, relay: r, users: ["1000"] }]', 'must be a pair of numbers'],
  ['agents: [{ name: a, relay: r, users: ["-1:0"] }]', 'must be a pair of numbers'],
  ['agents: [{ name: a, relay: r, users: ["4294967295:1"] }]', 'must be a pair of numbers'],
  ['agents: [{ name: a, relay: r, users: ["1:1"], workspace: {} }]', 'must have either volume or bind'],
  [
    'agents: [{ name: a, relay: r, users: ["1:1"], workspace: { volume: vv, bind: /b } }]',
    'either volume or bind',
  ],
  ['agents: [{ name: a, relay: r, users: ["1:1"], workspace: { bind: srv } }]', 'must be an absolute path'],
  [
    'agents: [{ name: a, relay: r, users: ["1:1"], workspace: { bind: /srv/../etc } }]',
    'must be an absolute path',
  ],
  ['agents: [{ name: a, relay: r, users: ["1:1"], workspace: { bind: / } }]', 'must be an absolute path'],
  [
    'agents: [{ name: a, relay: r, users: ["1:1"], hosts: { zone: b } }]',
    'no host of this file has these labels',
  ],
  ['warm: [{ agent: coder, tool: npm, size: 1 }]', 'warm[0].agent: there is no agent "coder"'],
  ['grpc: { listen: 8443 }', 'grpc.listen: must be a text, not a number'],
  ['grpc: { listen: "localhost" }', 'grpc.listen: must be HOST:PORT'],
  ['grpc: { listen: "localhost:70000" }', 'grpc.listen: must be HOST:PORT'],
  [
    'http: { listen: "0.0.0.0:80" }',
    'http.listen: is open to other machines: give http.tls, or http.trust-proxy',
  ],
  ['http: { listen: "[::]:80", url: "https://a.example" }', 'http.listen: is open to other machines'],
  [
    'http: { listen: "10.0.0.1:80", url: "http://a.example", trust-proxy: [10.0.0.2] }',
    'http.listen: is open',
  ],
  ['http: { metrics-listen: "0.0.0.0:9464" }', 'http.metrics-listen: is open to other machines'],
  ['http: { metrics-listen: "[::]:9464" }', 'http.metrics-listen: is open to other machines'],
  ['http: { metrics-listen: "192.0.2.1:9464", tls: { cert: a, key: b } }', 'http.metrics-listen: is open'],
  ['http: { trust-proxy: [10.0.0.0/8] }', 'http.trust-proxy: needs http.url'],
  ['http: { trust-proxy: [10.0.0.0/33], url: "https://a.example" }', 'must be an address or a network'],
  ['http: { url: "https://a.example/path" }', 'http.url: must be https://HOST'],
  ['http: { url: "https://u:p@a.example" }', 'http.url: must be https://HOST'],
  ['http: { tls: { cert: a, key: b }, url: "http://a.example" }', 'http.url: must be https'],
  ['limits: { queue-timeout: 5 }', 'limits.queue-timeout: must be a text'],
  ['limits: { queue-timeout: 8d }', 'limits.queue-timeout: must be a duration'],
  ['database: "postgres://db/clawrden"', 'a shared database is not supported yet'],
  ['hosts: {}', 'hosts: must be a list, not a mapping'],
])('%s is refused', (text, problem) => {
  expect(() => parseGatewayConfig(text, 'g.yaml')).toThrow(problem);
});

test('A-637: whatever stands behind complete can be cut off unnoticed, so it is the last key', () => {
  const lines = whole.trim().split(/\n(?=\S)/);
  for (let at = 0; at <= lines.length; at += 1) {
    const text = [...lines.slice(0, at), 'complete: true', ...lines.slice(at), '# the end', ''].join('\n');
    const parsed = () => parseGatewayConfig(text, 'g.yaml').complete;
    if (at === lines.length) expect(parsed()).toBe(true);
    else expect(parsed).toThrow(/^g\.yaml:\d+: complete: must be the last key: [^\n]+$/);
  }
});

test('the HTTP door is open to other machines by TLS or by a proxy', () => {
  const http = (text: string) => parseGatewayConfig(`http: ${text}`, '/srv/gw/g.yaml').http;
  expect(http('{ listen: "0.0.0.0:443", tls: { cert: a.pem, key: b.pem } }')).toMatchObject({
    tls: { cert: '/srv/gw/a.pem', key: '/srv/gw/b.pem' },
    trustProxy: [],
  });
  const proxied = '{ listen: "[::]:80", url: "https://a.example/", trust-proxy: [10.0.0.0/8, "fd00::1"] }';
  expect(http(proxied)).toMatchObject({
    url: 'https://a.example',
    trustProxy: [
      { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
      { address: 'fd00::1', prefix: 128, family: 'ipv6' },
    ],
  });
  for (const host of ['127.0.0.1', '127.8.8.8', '[::1]', 'localhost'])
    expect(http(`{ listen: "${host}:80" }`).trustProxy).toEqual([]);
});

test('the budgets of a host', () => {
  const [host] = parseGatewayConfig(
    'hosts: [{ name: a, engine: "unix:///s", memory: 16g, cpus: 7.5 }]',
    'g',
  ).hosts;
  expect(host).toMatchObject({ memoryBytes: 16 * 1024 ** 3, cpus: 7.5 });
  const [bare] = parseGatewayConfig('hosts: [{ name: a, engine: "unix:///s" }]', 'g').hosts;
  expect(Object.keys(bare ?? {})).not.toContain('memoryBytes');
  expect(Object.keys(bare ?? {})).not.toContain('cpus');
});

test('every problem is told at once, in the order of the file', () => {
  const text = 'staet: x\nhosts:\n  - { name: a }\nlimits: { running: 0 }\n';
  try {
    parseGatewayConfig(text, 'g.yaml');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems.map((line) => line.split(':')[1])).toEqual(['1', '3', '4']);
  }
});
