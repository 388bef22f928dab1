import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineAddress } from '../../gateway/docker/engine/connect.ts';
import { initPlanOf } from '../../src/init-client/init-plan.ts';
import { processesMentioning } from '../lab/host-processes.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type SshServer, startSshServer } from '../lab/ssh-server.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import {
  counting,
  fleetPolicy,
  inAgent,
  layScript,
  long,
  startsIn,
  untilHost,
  untilNoOrphans,
} from './fleet.ts';
import { ghostsOn } from './ghosts-on.ts';
import { type } from './typed.ts';

describe.skipIf(!hasLab())('an engine that is reached by ssh', () => {
  let host: LabHost;
  let server: SshServer;
  let address: Omit<EngineAddress, 'name'>;

  beforeAll(async () => {
    host = sharedLab().hosts[0]!;
    server = await startSshServer(host);
    const { url: engine, identity, knownHosts } = server;
    address = { engine, ssh: { identity, knownHosts } };
  });
  afterAll(() => server?.kill());

  /** The processes that carry connections to this host's engine. */
  const tunnels = () => processesMentioning('clawrden-ssh-', host.socket);
  const noTunnel = () => waitUntil('every ssh to end', 5000, async () => (await tunnels()).length === 0);

  test('runs ghosts: all of their output, many calls at once, over one ssh that ends with the last use', async () => {
    const on = ghostsOn(host, undefined, address);
    await on.engine.ping();
    const facts = Array.from({ length: 40 }, () => on.engine.inspectImage('clawrden-lab/busybox:latest'));
    expect(new Set((await Promise.all(facts)).map((fact) => fact?.id)).size).toBe(1);
    const lines = await on.run(await on.plan(['seq', '1', '400000']));
    expect(lines.end).toMatchObject({ type: 'exit', code: 0 });
    expect(lines.output).toHaveLength(2_688_895);
    const codes = await Promise.all(
      [3, 4, 5].map(async (code) => (await on.run(await on.plan(['sh', '-c', `exit ${code}`]))).end),
    );
    expect(codes).toMatchObject([{ code: 3 }, { code: 4 }, { code: 5 }]);
    expect(await on.containers()).toEqual([]);
    expect(await tunnels()).toHaveLength(1);
    on.engine.close();
    await noTunnel();
  });

  test('P22 a reader that stalls holds the tool back', async ({ skip }) => {
    skip(!long, 'it sends 64 MiB through ssh: scripts/test --long');
    const on = ghostsOn(host, undefined, address);
    const step = 'head -c 262144 /dev/zero; i=$((i+1)); echo $i > /tmp/at';
    const plan = await on.plan(['sh', '-c', `i=0; while [ $i -lt 256 ]; do ${step}; done`]);
    const ghost = await on.start(plan);
    const reading = Promise.withResolvers<void>();
    let bytes = 0;
    const ended = ghost.session.run({
      plan: initPlanOf(plan, { stdio: ['null', 'pipe', 'pipe'], ignored: [] }),
      send: (item) => {
        if (item.type === 'stdout') bytes += item.bytes.length;
        return reading.promise;
      },
      onStarted: () => {},
    });
    let steps = 0;
    await waitUntil('the tool to be held', 20_000, async () => {
      const before = steps;
      await sleep(500);
      steps = Number(await inGhost(step, '/tmp/at'));
      return steps > 0 && steps === before;
    });
    expect(steps).toBeLessThan(128);
    reading.resolve();
    expect(await ended).toMatchObject({ type: 'exit', code: 0 });
    expect(bytes).toBe(64 * 1024 * 1024);
    await ghost.destroy();
    on.engine.close();
  });

  test.each([
    ['a key that it does not know', { identity: 'server' }, /Permission denied/],
    [
      'a machine that is not known',
      { knownHosts: 'none' },
      /No ED25519 host key is known .* Host key verification failed/,
    ],
    [
      'a socket where no engine is',
      { path: '/run/none.sock' },
      /no engine answers at \/run\/none\.sock on [\d.]+,/,
    ],
    ['a port where nothing listens', { port: ':23' }, /Connection refused/],
  ])('%s: refused, in one line', async (_what, wrong: Record<string, string>, says) => {
    const engine = server.url
      .replace(/^(ssh:\/\/[^/]+)/, `$1${wrong.port ?? ''}`)
      .replace(host.socket, wrong.path ?? host.socket);
    const none = join(host.dir, 'ssh-none');
    await writeFile(none, '');
    const ssh = {
      identity: wrong.identity === undefined ? server.identity : join(host.dir, 'ssh-server'),
      knownHosts: wrong.knownHosts === undefined ? server.knownHosts : none,
    };
    const on = ghostsOn(host, undefined, { engine, ssh });
    const error = await on.engine.ping().then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    on.engine.close();
    expect(error).toMatchObject({ code: 'host-lost', message: expect.stringMatching(says) });
    expect(error?.message).toMatch(/^host build-1: [^\n]*$/);
    await noTunnel();
  });

  describe('as a host of the pool', () => {
    let stack: Stack;

    beforeAll(async () => {
      const labels = { by: 'ssh' };
      stack = await startStack(sharedLab(), {
        name: 'ssh',
        policy: fleetPolicy,
        agents: { coder: { config: { hosts: labels } }, other: {} },
        host: { warm: 2 },
        hosts: { [host.name]: { engine: server.url, ssh: sshKeys(), tls: undefined, labels } },
      });
      await layScript(stack, 'coder');
    });
    afterAll(() => stack?.stop());

    function sshKeys(): Record<string, string> {
      return { identity: server.identity, 'known-hosts': server.knownHosts };
    }

    test('it takes work, drains and takes work again', async () => {
      expect(await inAgent(stack, 'coder', ['true'])).toMatchObject({ code: 0, stderr: '' });
      const job = await type(stack.agents.coder!, counting('drains', 'echo on; sleep 1; exit 4'));
      await job.said('on');
      expect((await stack.cli(['drain', host.name])).code).toBe(0);
      expect(await inAgent(stack, 'coder', ['true'])).toMatchObject({ code: 125 });
      expect(await job.ended).toMatchObject({ code: 4, stderr: '' });
      expect((await stack.cli(['undrain', host.name])).code).toBe(0);
      expect(await inAgent(stack, 'coder', ['true'])).toMatchObject({ code: 0, stderr: '' });
      await untilHost(stack, host.name, (state) => (state?.warm ?? 0) > 0);
    });

    test('P15 P23 an sshd that is killed under a command: 125 at once, nothing left, back when sshd is', async () => {
      const job = await type(stack.agents.coder!, counting('lost', 'echo on; sleep 60'));
      await job.said('on');
      await server.kill();
      try {
        const { code, stderr } = await job.ended;
        expect({ code, stderr }).toEqual({
          code: 125,
          stderr: expect.stringMatching(/^clawrden: host-lost: [^\n]*\n$/),
        });
        // The first look may still find the old connection, which ends just then.
        const isRefused = (problem = '') => /ssh to .*Connection refused/.test(problem);
        await untilHost(stack, host.name, (state) => state?.state === 'down' && isRefused(state.problem));
        expect(await inAgent(stack, 'other', ['true'])).toMatchObject({ code: 0, stderr: '' });
      } finally {
        await server.start();
      }
      await untilHost(stack, host.name, (state) => state?.state === 'ready');
      expect(await inAgent(stack, 'coder', ['true'])).toMatchObject({ code: 0, stderr: '' });
      expect(await startsIn(stack, 'coder', 'lost')).toBe(1);
      await untilNoOrphans(sharedLab(), stack);
    });

    test('doctor asks it the same way', async () => {
      const { stdout } = await stack.cli(['doctor', '--config', join(stack.dir, 'warden/gateway.yaml')]);
      expect(stdout).toMatch(new RegExp(`host ${host.name}.*ssh://root@[^\\n]*Docker \\d`));
    });

    test('ssh ends with a gateway that is killed', async () => {
      expect(await tunnels()).toHaveLength(1);
      await stack.gateway.end('SIGKILL');
      await noTunnel();
    });
  });
});

/** A file as the process with this text in its command line sees it. */
async function inGhost(command: string, path: string): Promise<string> {
  const [pid] = await processesMentioning(command);
  return await readFile(`/proc/${pid}/root${path}`, 'utf8').catch(() => '');
}
