import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { attempt, run } from '../lab/command.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { clients } from '../mcp/clients.ts';
import type { OwnWayHeard } from '../mcp/own-way-main.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import { type Internet, startInternet } from './internet.ts';
import { untilAudited } from './life.ts';
import { processOf, type Typed, type, typed } from './typed.ts';

const policy = `version: 1
default: deny
workspace: /app
networks:
  thinking:
    allow: [{ to: "docs.example:80", private: true }]
    routes: [model]
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
  mirrored: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m, network: thinking }
  web_fetch: { strategy: fetch }
rules:
  - { name: all, tools: [ghostly, mirrored, web_fetch], action: allow }
complete: true
`;
const secret = 'secret-of-the-gateway';
const question = [
  'POST /model/stream HTTP/1.1',
  'Host: 127.0.0.1:3128',
  'Transfer-Encoding: chunked',
  '',
  '5',
  'hello',
  '',
].join('\\r\\n');
const timeOf = (line: AuditLine | undefined) => Date.parse(String(line?.['time']));
const proxied = { http_proxy: 'http://127.0.0.1:3128' };

describe.skipIf(!hasLab())("an agent's own way out", () => {
  let internet: Internet;
  let stack: Stack;
  const coder = () => stack.agents.coder!;
  const sh = async (script: string, env = {}): Promise<Typed> =>
    await typed(coder(), ['sh', '-c', script], { env });
  const thinks = async (): Promise<boolean> => {
    const { stdout } = await sh('timeout 5 wget -q -O - http://127.0.0.1:3128/model/thought');
    return stdout.toString() === 'GET /v1/thought ';
  };
  const untilItThinks = async () => await waitUntil('the agent to reach its model', 20_000, thinks);
  /** Since the last look. */
  let told = 0;
  const connections = async (count: number): Promise<AuditLine[]> => {
    const all = await untilAudited(stack, 'connection', () => true, { count: told + count });
    const fresh = all.slice(told);
    told = all.length;
    return fresh;
  };

  beforeAll(async () => {
    internet = await startInternet();
    const here = [[internet.address]] as [string[]];
    await internet.order({
      zone: { 'model.example': here, 'docs.example': here, 'other.example': here },
    });
    stack = await startStack(sharedLab(), {
      ...{ name: 'ownway', policy, under: internet.under },
      agents: { coder: { config: { network: 'thinking' } }, plain: {} },
      gateway: {
        secrets: { key: { env: 'MODEL_KEY' } },
        routes: {
          model: { to: 'http://model.example/v1/', private: true, headers: { 'x-api-key': 'k-{key}' } },
        },
      },
      env: { ...process.env, MODEL_KEY: secret },
    });
    await untilItThinks();
  }, 180_000);
  afterAll(async () => {
    await stack?.stop();
    await internet?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await internet.order({ tell: 'seen' });
    told = (await stack.audit()).filter(({ type: kind }) => kind === 'connection').length;
  });

  test('A-232: asks its model by a route, with a key that is nowhere in its container', async () => {
    expect(await thinks()).toBe(true);
    const { requests } = await internet.order({ tell: 'seen' });
    expect(requests[0]?.rawHeaders).toContain(`k-${secret}`);
    expect(await connections(1)).toMatchObject([
      { execution: '', agent: 'coder', network: 'thinking', route: 'model', to: 'model.example:80' },
    ]);
    const engine = `unix://${sharedLab().agentHost.socket}`;
    const inspected = await run(['docker', '-H', engine, 'inspect', coder().name]);
    const everywhere = `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -rl ${secret} /app /tmp /run /var/run /clawrden /home`;
    const { stdout } = await coder().exec(['sh', '-c', everywhere], { user: '0' });
    expect(inspected).not.toContain(secret);
    expect(stdout.replaceAll(everywhere, '')).not.toContain(`${secret}\n`);
    const audit = await stack.audit();
    expect(JSON.stringify(audit)).not.toContain(secret);
    expect(audit.filter(({ type: kind }) => kind === 'way-out')).toMatchObject([
      { agent: 'coder', network: 'thinking', routes: [{ name: 'model', secrets: ['key'] }] },
    ]);
  });

  test.each([
    ['another name', 'http://other.example/', proxied],
    ['another port of its destination', 'http://docs.example:8080/', proxied],
    ['the metadata service', 'http://169.254.169.254/', proxied],
    ['the gateway itself', 'http://127.0.0.1:8080/', proxied],
    ['another route', 'http://127.0.0.1:3128/registry/x', {}],
    ['a door for MCP', 'http://127.0.0.1:3128/mcp', {}],
  ])('A-191 P14: reaches nothing else: %s', async (_what, url, env) => {
    const { code } = await sh(`timeout 5 wget -q -O - ${url}`, env);
    expect(code).toBe(1);
    expect(await connections(1)).toMatchObject([{ agent: 'coder', outcome: 'denied', address: '' }]);
    expect((await internet.order({ tell: 'seen' })).connections).toEqual([]);
  });

  /** One of `clients`, beside the agent and as that user. */
  const asksByMcp = async (generation: string, uid: number, script: string) => {
    const pid = String(await processOf(coder()));
    const main = join(import.meta.dirname, '../mcp/own-way-main.ts');
    const node = [process.execPath, main, generation, String(uid), script];
    return await attempt(['nsenter', '-t', pid, '-n', ...node]);
  };

  const lastOfMcp = async () =>
    (await stack.audit()).findLast((record) => record.type === 'connection' && record['to'] === '/mcp');

  test.each(clients.map(([name]) => [name]))(
    'A-69 A-243: by %s it runs programs without a token, also longer than who has none is looked at',
    async (generation) => {
      const { code, stdout, stderr } = await asksByMcp(
        generation,
        1000,
        'echo one; sleep 5; echo two; exit 4',
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { programs, executed, told: heard } = JSON.parse(stdout) as OwnWayHeard;
      expect(programs.texts[0]).toMatch(/^ghostly: runs\nmirrored: runs\nweb_fetch: runs$/m);
      expect(executed.texts).toEqual([
        expect.stringContaining('exit code: 4'),
        'stdout, 8 bytes:',
        'one\ntwo\n',
      ]);
      expect(heard).toContain('one\n');
      const audit = await stack.audit();
      expect(audit.findLast(({ type: kind }) => kind === 'decision')).toMatchObject({
        ...{ caller: 'agent:coder', agent: 'coder', uid: 1000, strategy: 'ghost' },
      });
      // It is recorded after its client has seen its end.
      await expect.poll(lastOfMcp).toMatchObject({
        ...{ agent: 'coder', execution: '', to: '/mcp', outcome: 'closed' },
      });
    },
  );

  test.each([0, 4321])('A-69 A-242: uid %i of its container may not ask for it', async (uid) => {
    const { code } = await asksByMcp('2026-07-28', uid, 'echo one');
    expect(code).toBe(1);
    await expect.poll(lastOfMcp).toMatchObject({
      to: '/mcp',
      outcome: 'denied',
      text: expect.stringContaining('own user'),
    });
  });

  test.each([
    ['a page', 'POST', 'Host: 127.0.0.1:3128\\r\\nOrigin: http://127.0.0.1:3128', 403],
    ['another host', 'POST', 'Host: evil.example:3128', 403],
    ['a GET', 'GET', 'Host: 127.0.0.1:3128', 403],
    ['what is no JSON', 'POST', 'Host: 127.0.0.1:3128\\r\\nContent-Length: 1\\r\\n\\r\\n{', 400],
    ['a key twice', 'POST', 'Host: 127.0.0.1:3128\\r\\nContent-Length: 13\\r\\n\\r\\n{"a":1,"a":2}', 400],
    ['a prototype', 'POST', 'Host: 127.0.0.1:3128\\r\\nContent-Length: 16\\r\\n\\r\\n{"__proto__":{}}', 400],
  ])('A-69: MCP does not serve %s', async (_what, method, head, status) => {
    const request = `${method} /mcp HTTP/1.1\\r\\nContent-Type: application/json\\r\\n${head}\\r\\n\\r\\n`;
    const { stdout } = await sh(`{ printf '${request}'; sleep 3; } | timeout 30 nc 127.0.0.1 3128`);
    expect(stdout.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} clawrden: egress-`));
  });

  test('a ghost has no MCP', async () => {
    const { stderr } = await typed(coder(), ['mirrored', 'wget -Y off -O - http://127.0.0.1:3128/mcp']);
    expect(stderr).toContain('404 Not Found');
  });

  test('reaches its destination by name, and has no device', async () => {
    const { stdout } = await sh('wget -q -O - http://docs.example/page; ls /sys/class/net', proxied);
    expect(stdout.toString()).toBe('GET /page lo\n');
    expect(await connections(1)).toMatchObject([{ to: 'docs.example:80', outcome: 'closed' }]);
  });

  test('an agent without a network of its own has no listener', async () => {
    const script = 'nc -w 2 127.0.0.1 3128 </dev/null && echo open; echo over';
    const { stdout } = await typed(stack.agents.plain!, ['sh', '-c', script]);
    expect(stdout.toString()).toBe('over\n');
  });

  test.each([
    ['pause', ['pause', 'coder'], ['resume', 'coder']],
    ['lockdown', ['lockdown', 'on'], ['lockdown', 'off']],
  ])(
    'A-235 P19: %s cuts a streamed answer off within 2 s, and its end gives the model back',
    async (_what, halt, back) => {
      const script = `{ printf '${question}'; sleep 5; } | nc 127.0.0.1 3128`;
      const typing = await type(coder(), ['sh', '-c', script]);
      // As it comes: the model has not got the whole question.
      await typing.said('data: hello');
      const halted = stack.cli(halt);
      const [cut] = await connections(1);
      expect((await halted).code).toBe(0);
      await stack.cli(back);
      expect(cut).toMatchObject({ route: 'model', outcome: 'stopped' });
      const control = (await stack.audit()).findLast(({ state }) => state === 'paused');
      // Both by the gateway's clock: a command line takes its time on a busy machine.
      expect(timeOf(cut) - timeOf(control)).toBeLessThan(2000);
      await typing.ended;
      await untilItThinks();
    },
  );

  test('P24: comes back after its program, its relay and its container', async () => {
    await coder().exec(['sh', '-c', 'kill -9 $(pidof .shim)'], { user: '0' });
    await untilItThinks();
    await stack.relay[Symbol.asyncDispose]();
    await stack.startRelay();
    await untilItThinks();
    const engine = `unix://${sharedLab().agentHost.socket}`;
    await run(['docker', '-H', engine, 'restart', '-t', '1', coder().name]);
    await untilItThinks();
  });

  test('A-233: who asks for it besides its program gets nothing, and disturbs nothing', async () => {
    const { code, stderr } = await sh('/clawrden/bin/.shim');
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: 'clawrden: way-out-busy: another program listens on 127.0.0.1:3128\n',
    });
    expect(await thinks()).toBe(true);
  });
});
