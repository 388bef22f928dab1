import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxImage } from '../lab/images/catalogue.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import {
  auditSince,
  counting,
  editConfig,
  fleetPolicy,
  hostStates,
  inAgent,
  layScript,
  startsIn,
  untilHost,
  untilNoOrphans,
} from './fleet.ts';
import { type } from './typed.ts';

const someHosts = 'clawrden-lab/some-hosts:1';

describe.skipIf(!hasLab())('a fleet of three Docker hosts', () => {
  let lab: Lab;
  let stack: Stack;
  const host = (index: number): LabHost => lab.hosts[index]!;

  beforeAll(async () => {
    lab = await startLab({ hosts: 3 });
    await Promise.all([host(0), host(2)].map((each) => each.docker(['tag', busyboxImage, someHosts])));
    await Promise.all([host(0), host(1)].map((each) => each.docker(['volume', 'create', 'fleet-volume'])));
    stack = await startStack(lab, {
      name: 'fleet',
      policy: fleetPolicy,
      agents: {
        coder: {},
        other: {},
        zoned: { config: { hosts: { zone: 'b' } } },
        mounted: { config: { workspace: { volume: 'fleet-volume' } } },
      },
      host: { slots: 3, starts: 2 },
      hosts: { 'build-1': { labels: { zone: 'a' } }, 'build-2': { labels: { zone: 'b' }, memory: '80m' } },
    });
    await Promise.all(['coder', 'zoned'].map((agent) => layScript(stack, agent)));
  }, 180_000);
  afterAll(async () => {
    await stack?.stop();
    await lab?.stop();
  });

  async function run(
    agent: string,
    count: number,
    script: string,
  ): Promise<{ host: string; at: number; agent: string }[]> {
    const from = (await stack.audit()).length;
    const all = Array.from({ length: count }, () => inAgent(stack, agent, script.split(' ')));
    for (const { code, stderr } of await Promise.all(all))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const starts = await auditSince(stack, from, 'start');
    return starts.map((line) => ({
      host: String(line.host),
      at: Number(line.mono),
      agent: String(line.agent),
    }));
  }

  test('work is spread over all hosts, at once and one after the other', async () => {
    const together = await run('coder', 8, 'usleep 1000000');
    const perHost = Map.groupBy(together, (start) => start.host);
    expect([...perHost.values()].map((starts) => starts.length).toSorted((a, b) => a - b)).toEqual([2, 3, 3]);
    const hosts: string[] = [];
    for (let i = 0; i < 6; i++) hosts.push(...(await run('coder', 1, 'true')).map((start) => start.host));
    expect(new Set(hosts)).toEqual(new Set(['build-1', 'build-2', 'build-3']));
  });

  test('labels of the agent, and those a caller asks for, decide where work may go', async () => {
    const zoned = await run('zoned', 4, 'usleep 200000');
    expect(zoned.map((start) => start.host)).toEqual(Array.from({ length: 4 }, () => 'build-2'));
    const exec = ['exec', '--agent', 'coder', '--host-label'];
    const from = (await stack.audit()).length;
    expect((await stack.cli([...exec, 'zone=a', '--', 'true'])).code).toBe(0);
    expect(await auditSince(stack, from, 'start')).toMatchObject([{ host: 'build-1' }]);
    const none = await stack.cli([...exec, 'zone=z', '--', 'true']);
    expect(none).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('clawrden: no-host: no Docker host carries'),
    });
  });

  test('slots and budgets are kept: what is too much waits its turn and runs', async () => {
    const from = (await stack.audit()).length;
    const jobs = Array.from({ length: 12 }, () => type(stack.agents.coder!, ['usleep', '1500000']));
    let most: Record<string, number> = {};
    let queued = 0;
    const running = Promise.all((await Promise.all(jobs)).map((job) => job.ended));
    let over = false;
    void running.then(() => (over = true));
    while (!over) {
      for (const state of Object.values(await hostStates(stack))) {
        most = { ...most, [state.name]: Math.max(most[state.name] ?? 0, state.running) };
        queued = Math.max(queued, state.queued);
      }
      await sleep(50);
    }
    expect((await running).map(({ code }) => code)).toEqual(Array.from({ length: 12 }, () => 0));
    expect(most).toEqual({ 'build-1': 3, 'build-2': 2, 'build-3': 3 });
    expect(queued).toBeGreaterThan(0);
    expect(await auditSince(stack, from, 'start')).toHaveLength(12);
  });

  test('no more containers are started at once than the cap lets', async () => {
    const watching = lab.hosts.map(startsAtOnce);
    await run('coder', 8, 'true');
    const seen = await Promise.all(watching.map((watch) => watch.end()));
    expect(Math.max(...seen)).toBeLessThanOrEqual(2);
    expect(Math.max(...seen)).toBeGreaterThan(0);
  });

  test('agents take turns when the pool is full, and each one first come first served', async () => {
    const from = (await stack.audit()).length;
    const flood = Array.from({ length: 24 }, () => inAgent(stack, 'coder', ['usleep', '700000']));
    await untilHost(stack, 'build-1', (state) => (state?.queued ?? 0) >= 10);
    const modest = Array.from({ length: 3 }, () => inAgent(stack, 'other', ['true']));
    const codes = (await Promise.all([...flood, ...modest])).map(({ code }) => code);
    expect(codes).toEqual(codes.map(() => 0));
    const order = (await auditSince(stack, from, 'start')).map(({ agent }) => String(agent));
    // It had at least ten before it; taking turns it is through before as many as it has itself, and a round, started.
    const first = order.indexOf('other');
    const between = order
      .slice(first, order.lastIndexOf('other'))
      .filter((agent) => agent === 'coder').length;
    expect(order.slice(order.lastIndexOf('other') + 1).length).toBeGreaterThan(2);
    expect(between).toBeLessThanOrEqual(6);
  });

  test('an image that only some hosts have, and a workspace that one has not', async () => {
    const from = (await stack.audit()).length;
    const cats = await Promise.all(
      Array.from({ length: 6 }, () => inAgent(stack, 'coder', ['cat', '/etc/hostname'])),
    );
    expect(cats.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    const onHosts = (await auditSince(stack, from, 'start')).map((line) => String(line.host));
    expect(new Set(onHosts)).toEqual(new Set(['build-1', 'build-3']));
    expect((await hostStates(stack))['build-2']?.problem).toBe(`image-missing: ${someHosts}`);
    const mounted = await run('mounted', 6, 'usleep 200000');
    expect(new Set(mounted.map((start) => start.host))).toEqual(new Set(['build-1', 'build-2']));
    // A volume that comes is seen at once.
    await host(2).docker(['volume', 'create', 'fleet-volume']);
    await expect
      .poll(async () => (await run('mounted', 3, 'usleep 300000')).map((start) => start.host), {
        timeout: 20_000,
      })
      .toContain('build-3');
  });

  test('an image that comes to a host, or is tagged anew there, is known at once', async () => {
    await host(1).docker(['tag', busyboxImage, someHosts]);
    await untilHost(stack, 'build-2', (state) => state?.problem === '', 5000);
    await host(1).docker(['tag', 'clawrden-lab/agent:latest', someHosts]);
    await untilHost(stack, 'build-2', (state) => state?.problem === `image-differs: ${someHosts}`, 5000);
    await host(1).docker(['rmi', someHosts]);
    await untilHost(stack, 'build-2', (state) => state?.problem === `image-missing: ${someHosts}`, 5000);
  });

  test('a host that drains ends its work, gets none, and gets some again; also across a restart', async () => {
    const job = await type(stack.agents.zoned!, counting('drained', 'echo on; sleep 3; exit 4'));
    await job.said('on');
    const drained = await stack.cli(['drain', 'build-2', '--reason', 'new disk', '--json']);
    expect(JSON.parse(drained.stdout)).toMatchObject({ name: 'build-2', state: 'draining', running: 1 });
    const elsewhere = await run('coder', 4, 'usleep 300000');
    expect(elsewhere.map((start) => start.host)).not.toContain('build-2');
    const refused = await inAgent(stack, 'zoned', ['true']);
    expect(refused).toMatchObject({ code: 125, stderr: expect.stringContaining('build-2 is draining') });
    expect(await job.ended).toMatchObject({ code: 4 });
    expect(await startsIn(stack, 'zoned', 'drained')).toBe(1);
    await stack.gateway.end('SIGTERM');
    await stack.startGateway();
    expect((await hostStates(stack))['build-2']?.state).toBe('draining');
    expect((await stack.cli(['undrain', 'build-2'])).code).toBe(0);
    await untilHost(stack, 'build-2', (state) => state?.state === 'ready');
    await expect
      .poll(async () => (await inAgent(stack, 'zoned', ['true'])).code, { timeout: 15_000 })
      .toBe(0);
    const records = (await stack.audit()).filter((line) => line.type === 'host');
    expect(records).toMatchObject([
      { host: 'build-2', state: 'draining', by: 'operator:admin', reason: 'new disk' },
      { host: 'build-2', state: 'ready' },
    ]);
    expect(await stack.cli(['drain', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nowhere'),
    });
  });

  test('hosts leave and join by gateway.yaml, without a restart and without harm to what runs', async () => {
    const pid = stack.gateway.pid;
    const job = await type(stack.agents.zoned!, counting('leaving', 'echo on; sleep 3; exit 5'));
    await job.said('on');
    const kept: Record<string, unknown>[] = [];
    await editConfig(stack, (config) => {
      kept.push(...config.hosts.filter(({ name }) => name === 'build-2'));
      config.hosts = config.hosts.filter(({ name }) => name !== 'build-2');
      config.agents = (config.agents as { name: string }[]).filter(({ name }) => name !== 'zoned');
    });
    await untilHost(stack, 'build-2', (state) => state?.state === 'draining');
    expect((await run('coder', 4, 'true')).map((start) => start.host)).not.toContain('build-2');
    expect(await job.ended).toMatchObject({ code: 5 });
    expect(await startsIn(stack, 'zoned', 'leaving')).toBe(1);
    await untilHost(stack, 'build-2', (state) => state === undefined);
    await editConfig(stack, (config) => {
      config.hosts = [...config.hosts, { ...kept[0], slots: 1 }];
    });
    await untilHost(stack, 'build-2', (state) => state?.state === 'ready');
    const again = await run('coder', 7, 'usleep 500000');
    expect(again.filter((start) => start.host === 'build-2')).toHaveLength(1);
    expect(stack.gateway.pid).toBe(pid);
    const reloads = (await stack.audit()).filter((line) => line.event === 'reload').map(({ text }) => text);
    expect(reloads).toEqual(['hosts removed build-2', 'hosts added build-2']);
  });

  test('a gateway.yaml that is wrong changes nothing and is told; SIGHUP reads it again', async () => {
    const before = Object.keys(await hostStates(stack));
    await writeFile(join(stack.dir, 'warden/gateway.yaml'), 'hosts: [{ name: broken');
    await expect
      .poll(async () => (await stack.audit()).filter((line) => line.incident === 'config-refused').length, {
        timeout: 5000,
      })
      .toBe(1);
    stack.gateway.signal('SIGHUP');
    await run('coder', 3, 'true');
    expect(Object.keys(await hostStates(stack))).toEqual(before);
    expect((await stack.audit()).filter((line) => line.incident === 'config-refused')).toHaveLength(1);
  });

  test('nothing of all that is left on any host', async () => {
    await untilNoOrphans(lab, stack);
  });
});

/** Watches, by the engine's own events, how many containers were between their creation and their start at once. */
function startsAtOnce(host: LabHost): { end: () => Promise<number> } {
  const filters = ['create', 'start', 'destroy'].flatMap((event) => ['--filter', `event=${event}`]);
  const format = '{{.Action}} {{.ID}}';
  const child = spawn('docker', [
    '-H',
    `unix://${host.socket}`,
    'events',
    '--filter',
    'type=container',
    ...filters,
    '--format',
    format,
  ]);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    end: async () => {
      await sleep(300);
      child.kill();
      const starting = new Set<string>();
      let most = 0;
      for (const line of text.split('\n')) {
        const [action = '', id = ''] = line.split(' ');
        if (action === 'create') starting.add(id);
        else starting.delete(id);
        most = Math.max(most, starting.size);
      }
      return most;
    },
  };
}
