import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { type LearnEgressResponse, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import type { Plan } from '../../src/plan.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import { type Internet, startInternet } from './internet.ts';
import { listed, untilAsked, untilAudited } from './life.ts';
import { type Typed, type, typed } from './typed.ts';

const image = 'image: "clawrden-lab/busybox:latest"';
const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
networks:
  registry: { allow: ["registry.example:80"] }
  inside: { allow: [{ to: "inside.example:80", private: true }] }
  docker: { docker-network: bridge }
tools:
  ghostly: { strategy: ghost, ${image}, memory: 64m, network: registry }
  usleep: { strategy: ghost, ${image}, memory: 64m }
  mirrored: { strategy: mirror }
  nc: { strategy: ghost, ${image}, network: inside }
  wc: { strategy: ghost, ${image}, network: docker }
  tail: { strategy: ghost, ${image}, secrets: { TOKEN: key }, workspace: none }
rules:
  - { name: asked, tools: [ghostly], args: [": ask*"], action: ask }
  - { name: never, tools: [ghostly], args: [": no*"], action: deny }
  - { name: secret, tools: [ghostly], args: [": secret*"], action: allow, secrets: { TOKEN: key } }
  - { name: all, tools: [ghostly, usleep, mirrored, nc, wc, tail], action: allow }
complete: true
`;
const connect = (to: string) => `CONNECT ${to} HTTP/1.1\\r\\nHost: ${to}\\r\\n\\r\\n`;
const get = (name: string) => `wget -q -O - http://${name}/`;

describe.skipIf(!hasLab())('egress learn', () => {
  let internet: Internet;
  let stack: Stack;
  let admin: GatewayClient;
  let begun: Learned[] = [];

  beforeAll(async () => {
    internet = await startInternet();
    const [there, hidden] = [internet.publicAddress, internet.address];
    await internet.order({
      zone: {
        ...{ 'registry.example': [[there]], 'other.example': [[there]], 'third.example': [[there]] },
        ...{
          'inside.example': [[hidden]],
          'both.example': [[there, hidden]],
          'self.example': [['127.0.0.1']],
        },
      },
    });
    stack = await startStack(sharedLab(), {
      ...{ name: 'learn', policy, agents: { coder: {}, plain: {} }, under: internet.under },
      gateway: { secrets: { key: { env: 'LEARN_KEY' } } },
      env: { ...process.env, LEARN_KEY: 'secret-of-the-gateway' },
    });
    admin = await connectGateway({ address: stack.grpcAddress, identityDir: stack.identity });
  }, 180_000);
  afterAll(async () => {
    admin?.close();
    await stack?.stop();
    await internet?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await internet.order({ tell: 'seen' });
  });
  afterEach(async () => {
    for (const each of begun) await each.leave();
    begun = [];
  });

  const run = async (script: string, agent = 'coder'): Promise<Typed> =>
    await typed(stack.agents[agent]!, ['ghostly', script]);

  interface Learned {
    readonly found: string[];
    readonly ended: Promise<string>;
    readonly leave: () => Promise<void>;
  }

  /** In force when it resolves; rejects with why it may not be. */
  async function learn(wanted: { agent?: string; tool?: string; seconds?: number } = {}): Promise<Learned> {
    const request = { agent: 'coder', tool: 'ghostly', seconds: 60, reason: 'a try', ...wanted };
    const stream = admin.stream(WardenServiceService.learnEgress, request);
    const [found, begins, ends] = [
      [] as string[],
      Promise.withResolvers<void>(),
      Promise.withResolvers<string>(),
    ];
    stream.on('data', ({ event }: LearnEgressResponse) => {
      if (event?.$case === 'begun') begins.resolve();
      if (event?.$case === 'destination') found.push(event.value);
      if (event?.$case === 'ended') ends.resolve(event.value);
    });
    stream.on('error', (error: Error & { details?: string }) => {
      begins.reject(new Error(error.details));
      ends.resolve('cut off');
    });
    await begins.promise;
    const before = await ended();
    const leave = async () => {
      stream.cancel();
      if ((await ends.promise) === 'cut off')
        await untilAudited(stack, 'control', ({ state }) => state === 'learned', { count: before + 1 });
    };
    const learned = { found, ended: ends.promise, leave };
    begun.push(learned);
    return learned;
  }

  const ended = async () => (await stack.audit()).filter(({ state }) => state === 'learned').length;
  const lastConnection = async (): Promise<AuditLine | undefined> =>
    (await stack.audit()).filter((line) => line.type === 'connection').at(-1);

  test('A-227: while an admin learns a tool reaches public names, each is told once, and its plan and the audit say so; before and after it does not', async () => {
    expect((await run(get('other.example'))).stderr).toContain('other.example:80 is not a destination');
    const learning = await learn();
    const script = `${get('other.example')}; ${get('other.example')}; ${get('registry.example')}`;
    expect((await run(script)).stdout.toString()).toBe('GET / GET / GET / ');
    expect(learning.found).toEqual(['other.example:80']);
    const [row] = await listed(stack, 'history');
    const shown = await stack.cli(['show', row!.id]);
    expect(shown.stdout).toContain('every public address, while person:admin learns what it needs (');
    const connections = await untilAudited(stack, 'connection', (line) => line['execution'] === row!.id, {
      count: 3,
    });
    expect(connections.map(({ to, learned }) => [to, learned])).toEqual([
      ['other.example:80', true],
      ['other.example:80', true],
      ['registry.example:80', undefined],
    ]);
    await learning.leave();
    expect((await run(get('other.example'))).stderr).toContain('other.example:80 is not a destination');
    const controls = (await stack.audit()).filter((line) => line.type === 'control');
    expect(controls).toMatchObject([
      { agent: 'coder', tool: 'ghostly', state: 'learning', by: 'person:admin', reason: 'a try', ms: 60_000 },
      {
        agent: 'coder',
        state: 'learned',
        by: 'person:admin',
        reason: 'person:admin has left',
        destinations: 1,
      },
    ]);
    expect(controls[0]?.['learning']).toBe(controls[1]?.['learning']);
  });

  test('A-228: nothing that is not public is reached by it', async () => {
    const learning = await learn();
    const names = ['inside.example', 'both.example', 'self.example', internet.address, '169.254.169.254'];
    for (const name of names) {
      const { stderr } = await run(get(name));
      expect([name, stderr]).toEqual([name, expect.stringContaining('clawrden: egress-denied: ')]);
      expect(await lastConnection()).toMatchObject({ outcome: 'denied', address: '' });
    }
    expect((await internet.order({ tell: 'seen' })).connections).toEqual([]);
    expect(learning.found).toEqual([]);
  });

  test('A-228: a tool without a network gets the way out for as long as it is learned, and only that agent and tool', async () => {
    const script = 'wget -q -O - http://other.example/ 2>&1';
    await learn({ tool: 'ghostly', agent: 'plain' });
    expect((await run(script)).stdout.toString()).toContain('is not a destination');
    expect((await run(script, 'plain')).stdout.toString()).toBe('GET / ');
    await learn({ tool: 'usleep' });
    const { code } = await typed(stack.agents.coder!, ['usleep', '1']);
    const [row] = await listed(stack, 'history');
    const { stdout } = await stack.cli(['show', row!.id, '--json']);
    const { plan } = JSON.parse(stdout) as { plan: Plan };
    expect([code, plan.network, plan.reach?.network, plan.reach?.allow]).toEqual([0, 'none', 'none', []]);
    expect(plan.env).toContain('HTTP_PROXY=http://127.0.0.1:3128');
  });

  test('A-229: what the policy denies stays denied; a question says that it learns, and a yes holds for that learning only', async () => {
    const first = await learn();
    expect((await run(`: no; ${get('other.example')}`)).code).not.toBe(0);
    expect((await run(`: secret; ${get('other.example')}`)).stdout.toString()).toBe('');
    const asked = await type(stack.agents.coder!, ['ghostly', `: ask; ${get('other.example')}`]);
    const id = await untilAsked(stack);
    expect((await stack.cli(['show', id])).stdout).toContain(
      'every public address, while person:admin learns',
    );
    await first.leave();
    expect((await stack.cli(['approve', id, '--reason', 'fine'])).code).toBe(0);
    const late = await asked.ended;
    expect([late.stdout.toString(), late.stderr]).toEqual([
      '',
      expect.stringContaining('is not a destination'),
    ]);
  });

  test.each([
    ['the agent is paused', ['pause', 'coder', '--reason', 'stop'], ['resume', 'coder']],
    ['everything is locked down', ['lockdown', 'on', '--reason', 'stop'], ['lockdown', 'off']],
  ])('A-231 P19: it ends when %s, and with it its connections', async (_what, stop, go) => {
    const learning = await learn();
    const script = `{ printf '${connect('other.example:7')}'; sleep 60; } | nc 127.0.0.1 3128`;
    const typing = await type(stack.agents.coder!, ['ghostly', script]);
    await typing.said('200 Connection established');
    await stack.cli(stop);
    expect(await learning.ended).toMatch(/paused|locked down/);
    await typing.ended;
    await expect(learn()).rejects.toThrow(/paused|locked down/);
    await stack.cli(go);
  });

  test('A-231: its end cuts off what it let through, also of commands that go on', async () => {
    const learning = await learn({ seconds: 5 });
    const script = `{ printf '${connect('other.example:7')}'; sleep 8; } | nc 127.0.0.1 3128; echo over`;
    const typing = await type(stack.agents.coder!, ['ghostly', script]);
    await typing.said('200 Connection established');
    expect(await learning.ended).toBe('its time is over');
    expect((await typing.ended).stdout.toString()).toContain('over');
    expect(await lastConnection()).toMatchObject({
      ...{ outcome: 'denied', text: 'nobody learns any more what this needs', learned: true },
    });
  });

  test.each([
    [{ agent: 'nobody' }, 'there is no agent "nobody"'],
    [{ tool: 'nothing' }, 'nothing defines the tool "nothing"'],
    [{ tool: 'mirrored' }, 'mirrored: it runs by mirror'],
    [{ tool: 'wc' }, 'wc: it is in the Docker network bridge'],
    [{ tool: 'tail' }, 'tail: it is given secrets'],
    [{ tool: 'nc' }, 'nc: its network inside leads to addresses that are not public'],
    [{ seconds: 3601 }, 'seconds must be 1 to 3600'],
    [{ seconds: 0 }, 'seconds must be 1 to 3600'],
  ])('A-228: refuses %o', async (wanted, why) => {
    await expect(learn(wanted)).rejects.toThrow(why);
  });

  test('the command line prints what was reached, as a network of the policy has it; one learns at a time', async () => {
    const before = (await stack.audit()).length;
    const printed = stack.cli(['egress', 'learn', 'coder', '--tool', 'ghostly', '--for', '20s']);
    const begins = untilAudited(stack, 'control', ({ seq, ms }) => Number(seq) > before && ms === 20_000);
    await Promise.race([begins, printed.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    await expect(learn()).rejects.toThrow('person:admin learns what ghostly of coder needs now');
    await run(`${get('third.example')}; ${get('other.example')}`);
    const { stdout, stderr, code } = await printed;
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        '# What ghostly of coder reached, besides network registry.',
        '# The command, and who wrote it, chose these names: read each before you allow it.',
        'allow:\n  - "other.example:80"\n  - "third.example:80"\n',
      ].join('\n'),
    );
    expect(stderr).toContain('reached third.example:80');
    expect(stderr).toContain('it has ended: its time is over');
  });
});
