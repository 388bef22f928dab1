import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import { type Internet, startInternet } from './internet.ts';
import { untilAudited } from './life.ts';
import { type Typed, type, typed } from './typed.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
networks:
  registry:
    allow:
      - { to: "registry.example:80", private: true }
      - { to: "registry.example:443", private: true }
      - { to: "registry.example:7", private: true }
    routes: [model]
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m, network: registry }
  node: { strategy: ghost, image: "clawrden-lab/node:24", memory: 512m, network: registry }
  npm: { strategy: ghost, image: "clawrden-lab/node:24", memory: 512m, network: registry }
rules:
  - { name: bounded, tools: [ghostly], args: [": few*"], action: allow, egress-bytes: { down: 100k } }
  - { name: plain, tools: [ghostly], args: [": plain*"], action: allow, network: none }
  - { name: all, tools: [ghostly], action: allow }
  - { name: clients, tools: [node, npm], action: allow }
complete: true
`;

describe.skipIf(!hasLab())('a ghost whose network goes by name', () => {
  let internet: Internet;
  let stack: Stack;
  const run = async (script: string): Promise<Typed> => await typed(stack.agents.coder!, ['ghostly', script]);
  /** Of the executions since the last look. */
  let told = 0;
  const connections = async (count: number): Promise<AuditLine[]> => {
    const all = await untilAudited(stack, 'connection', () => true, { count: told + count });
    const fresh = all.slice(told);
    told = all.length;
    return fresh;
  };

  beforeAll(async () => {
    internet = await startInternet();
    const authority = await makeAuthority('test');
    const { certificate: cert, key } = await issueServerCertificate(authority, ['registry.example']);
    await internet.order({ tls: { cert, key } });
    await internet.order({
      zone: {
        'registry.example': [[internet.address]],
        'other.example': [[internet.address]],
        'model.example': [[internet.address]],
      },
    });
    stack = await startStack(sharedLab(), {
      ...{ name: 'named', policy, agents: { coder: {} }, under: internet.under },
      gateway: {
        secrets: { key: { env: 'MODEL_KEY' } },
        routes: {
          model: {
            ...{ to: 'http://model.example/v1/', private: true, headers: { 'x-api-key': 'k-{key}' } },
            environment: { MODEL_URL: '{url}' },
          },
        },
      },
      env: { ...process.env, MODEL_KEY: 'secret-of-the-gateway' },
    });
  }, 180_000);
  afterAll(async () => {
    await stack?.stop();
    await internet?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await internet.order({ tell: 'seen' });
  });

  test('reaches its destinations by name, through the gateway, and each connection is in the audit', async () => {
    const { stdout, code, stderr } = await run('wget -q -O - http://registry.example/package');
    expect({ code, stderr, said: stdout.toString() }).toEqual({ code: 0, stderr: '', said: 'GET /package ' });
    const seen = await internet.order({ tell: 'seen' });
    expect(seen.connections).toEqual([`${internet.address}:80`]);
    const [record] = await connections(1);
    const [start] = await untilAudited(
      stack,
      'start',
      ({ execution }) => execution === record?.['execution'],
    );
    expect(start).toBeDefined();
    expect(record).toMatchObject({
      ...{ agent: 'coder', network: 'registry', to: 'registry.example:80', route: '' },
      ...{ address: internet.address, outcome: 'closed' },
    });
  });

  test('carries a tunnel both ways, a megabyte', async () => {
    const script = `{ printf 'CONNECT registry.example:7 HTTP/1.1\\r\\nHost: registry.example:7\\r\\n\\r\\n';
      head -c 1000000 /dev/zero; } | nc 127.0.0.1 3128 | tail -c +1 | wc -c`;
    const { stdout } = await run(script);
    const answer = 'HTTP/1.1 200 Connection established\r\n\r\n';
    expect(Number(stdout.toString())).toBe(1_000_000 + answer.length);
    expect(await connections(1)).toMatchObject([
      { to: 'registry.example:7', up: 1_000_000, down: 1_000_000 },
    ]);
  });

  test.each([
    ['another port', 'http://registry.example:8080/'],
    ['another name', 'http://other.example/'],
    ['an address', 'http://198.19.1.1/'],
    ['the metadata service', 'http://169.254.169.254/'],
    ['the gateway itself', 'http://127.0.0.1:8080/'],
  ])('A-191 P14: reaches nothing else: %s', async (_what, url) => {
    const { stderr, code } = await run(`wget -q -O - ${url}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/clawrden: egress-denied: \S+ is not a destination of network registry/);
    expect(await connections(1)).toMatchObject([{ outcome: 'denied', address: '' }]);
    const { connections: seen, asked } = await internet.order({ tell: 'seen' });
    expect({ seen, asked }).toEqual({ seen: [], asked: [] });
  });

  test('A-191 P14: has no device to go around it: no interface, no route, no name server', async () => {
    const { address } = internet;
    const script = `ls /sys/class/net; cat /proc/net/route | wc -l
      for at in "${address} 80" "${address} 7" "169.254.169.254 80"; do nc -w 2 $at </dev/null >/dev/null 2>&1 && echo reached; done
      echo x | nc -u -w 1 ${address} 53 2>/dev/null; ping -c 1 -W 1 ${address} >/dev/null 2>&1 && echo pinged
      nslookup registry.example >/dev/null 2>&1 && echo resolved; echo over`;
    const { stdout } = await run(script);
    expect(stdout.toString()).toBe('lo\n1\nover\n');
    expect(await internet.order({ tell: 'seen' })).toMatchObject({ connections: [], asked: [] });
  });

  test.each([
    [
      'fetch of node',
      'node',
      ['-e', "fetch('http://registry.example/n').then((r) => r.text()).then(console.log)"],
    ],
    [
      'fetch of node over TLS',
      'node',
      [
        '-e',
        "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch('https://registry.example/n').then((r) => r.text()).then(console.log)",
      ],
    ],
  ])('%s takes the way out by its variables', async (_what, tool, args) => {
    const { stdout, stderr } = await typed(stack.agents.coder!, [tool, ...args]);
    expect({ said: stdout.toString(), stderr }).toMatchObject({ said: 'GET /n \n' });
    expect(await connections(1)).toMatchObject([{ outcome: 'closed' }]);
  });

  test('npm shows the line of what is refused as its own error', async () => {
    const args = ['view', 'x', '--registry', 'http://other.example/', '--fetch-retries', '0'];
    const { stderr } = await typed(stack.agents.coder!, ['npm', ...args]);
    expect(stderr).toMatch(/npm error .*clawrden: egress-denied: other\.example:80 is not a destination/);
    expect(await connections(1)).toMatchObject([{ outcome: 'denied' }]);
  });

  test('a caller is told what was refused, and `show` lists what was reached', async () => {
    const { stdout: token } = await stack.cli(['tokens', 'create', 'ci', '--role', 'orchestrator']);
    const script =
      'wget -q -O - http://other.example/; wget -q -O - http://registry.example/x; wget -q -O - http://registry.example/y';
    const response = await fetch(`${stack.httpUrl}/api/v1/executions`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${token.trim()}`, 'Content-Type': 'application/json' },
        Accept: 'application/x-ndjson',
      },
      body: JSON.stringify({ agent: 'coder', tool: 'ghostly', args: [script] }),
    });
    const said = await response.text();
    expect(said).toMatch(
      /"type":"notice".*egress-denied: other\.example:80 is not a destination of network registry/,
    );
    const records = await connections(3);
    const shown = await stack.cli(['show', String(records[0]?.['execution'])]);
    expect(shown.stdout).toMatch(/reached +"other\.example:80": denied, 1 time, /);
    expect(shown.stdout).toMatch(/"registry\.example:80": closed, 2 times, /);
  });

  test('P14: a tool without such a network has no way out, on the same kind of container', async () => {
    const { stdout } = await run(
      ': plain; nc -w 2 127.0.0.1 3128 </dev/null 2>/dev/null && echo open; env | grep -i proxy; echo over',
    );
    expect(stdout.toString()).toBe('over\n');
    expect((await internet.order({ tell: 'seen' })).connections).toEqual([]);
  });

  test('A-192: a route adds what the tool never gets, and says so in no record', async () => {
    const { stdout } = await run('env; wget -Y off -q -O - "${MODEL_URL}messages"');
    expect(stdout.toString()).toContain('MODEL_URL=http://127.0.0.1:3128/model/\n');
    expect(stdout.toString()).toContain('GET /v1/messages ');
    expect(stdout.toString()).not.toContain('secret-of-the-gateway');
    const { requests } = await internet.order({ tell: 'seen' });
    expect(requests[0]?.rawHeaders).toContain('k-secret-of-the-gateway');
    const audit = await stack.audit();
    expect(JSON.stringify(audit)).not.toContain('secret-of-the-gateway');
    expect(await connections(1)).toMatchObject([{ route: 'model', to: 'model.example:80' }]);
  });

  test('the bytes of a tool are bounded', async () => {
    const connect = 'CONNECT registry.example:7 HTTP/1.1\\r\\nHost: registry.example:7\\r\\n\\r\\n';
    await run(`: few; { printf '${connect}'; head -c 1000000 /dev/zero; } | nc 127.0.0.1 3128 | wc -c`);
    const [record] = await connections(1);
    expect(record).toMatchObject({ outcome: 'limit', text: expect.stringContaining('egress-bytes') });
    expect(Number(record?.['down'])).toBeLessThan(300_000);
  });

  test('P24: with a command that is killed its connections end', async () => {
    const connect = 'CONNECT registry.example:7 HTTP/1.1\\r\\nHost: registry.example:7\\r\\n\\r\\n';
    const script = `{ printf '${connect}'; sleep 60; } | nc 127.0.0.1 3128`;
    const typing = await type(stack.agents.coder!, ['ghostly', script]);
    await typing.said('200 Connection established');
    await typing.signal('SIGKILL');
    expect(await connections(1)).toMatchObject([{ to: 'registry.example:7', outcome: 'stopped' }]);
  });
});
