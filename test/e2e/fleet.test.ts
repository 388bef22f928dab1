import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run as command } from '../lab/command.ts';
import { busyboxImage } from '../lab/images/catalogue.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import {
  containersOn,
  counting,
  editConfig,
  fleetPolicy,
  hostStates,
  inAgent,
  layScript,
  startsIn,
  startsSince,
  untilHost,
  untilNoOrphans,
} from './fleet.ts';
import { endReaders, letGo, untilLetGo } from './held.ts';
import { startsAtOnce } from './starts-at-once.ts';
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
    const starts = await startsSince(stack, from, count);
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
    // A host whose first starts were slow comes again after a minute.
    const hosts = new Set<string>();
    for (const end = performance.now() + 90_000; hosts.size < 3 && performance.now() < end; )
      for (const start of await run('coder', 1, 'true')) hosts.add(start.host);
    expect(hosts).toEqual(new Set(['build-1', 'build-2', 'build-3']));
  });

  test('labels of the agent, and those a caller asks for, decide where work may go', async () => {
    const zoned = await run('zoned', 4, 'usleep 200000');
    expect(zoned.map((start) => start.host)).toEqual(Array.from({ length: 4 }, () => 'build-2'));
    const exec = ['exec', '--agent', 'coder', '--host-label'];
    const from = (await stack.audit()).length;
    expect((await stack.cli([...exec, 'zone=a', '--', 'true'])).code).toBe(0);
    expect(await startsSince(stack, from, 1)).toMatchObject([{ host: 'build-1' }]);
    const none = await stack.cli([...exec, 'zone=z', '--', 'true']);
    expect(none).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('clawrden: no-host: no Docker host carries'),
    });
  });

  test('slots and budgets are kept: what is too much waits its turn and runs', async () => {
    const from = (await stack.audit()).length;
    const jobs = Array.from({ length: 12 }, () => inAgent(stack, 'coder', untilLetGo('slots')));
    const full = { 'build-1': 3, 'build-2': 2, 'build-3': 3 };
    await expect.poll(async () => (await places()).running, { timeout: 50_000 }).toEqual(full);
    await expect.poll(async () => (await places()).queued, { timeout: 10_000 }).toBe(4);
    expect(await places()).toEqual({ running: full, queued: 4 });
    await letGo(stack, 'coder', 'slots', 12);
    expect((await Promise.all(jobs)).map(({ code }) => code)).toEqual(Array.from({ length: 12 }, () => 0));
    await startsSince(stack, from, 12);
  });

  async function places(): Promise<{ running: Record<string, number>; queued: number }> {
    const states = Object.values(await hostStates(stack));
    return {
      running: Object.fromEntries(states.map(({ name, running }) => [name, running])),
      queued: Math.max(...states.map(({ queued }) => queued)),
    };
  }

  test('no more containers are started at once than the cap lets', async () => {
    const watching = lab.hosts.map(startsAtOnce);
    await run('coder', 8, 'true');
    const seen = await Promise.all(watching.map((watch) => watch.end()));
    expect(Math.max(...seen)).toBeLessThanOrEqual(2);
    expect(Math.max(...seen)).toBeGreaterThan(0);
  });

  test('agents take turns when the pool is full: one that floods it waits behind itself', async () => {
    const flood = Array.from({ length: 24 }, () => inAgent(stack, 'coder', untilLetGo('turns')));
    const queued = (count: number) =>
      expect.poll(async () => (await places()).queued, { timeout: 50_000 }).toBe(count);
    await queued(16);
    const modest = Array.from({ length: 3 }, () => inAgent(stack, 'other', ['true']));
    await queued(19);
    // The four that end, and the three after them, make room for four of each if the modest one had four.
    await letGo(stack, 'coder', 'turns', 4);
    expect((await Promise.all(modest)).map(({ code }) => code)).toEqual([0, 0, 0]);
    await queued(12);
    await letGo(stack, 'coder', 'turns', 20);
    expect((await Promise.all(flood)).map(({ code }) => code)).toEqual(flood.map(() => 0));
  });

  test('an image that only some hosts have, and a workspace that one has not', async () => {
    const pipe = join(stack.workspaceOf('coder'), 'pipe');
    await command(['mkfifo', '--mode=666', pipe]);
    const cats = Array.from({ length: 7 }, () => inAgent(stack, 'coder', ['cat', '/app/pipe']));
    await expect
      .poll(places, { timeout: 50_000 })
      .toEqual({ running: { 'build-1': 3, 'build-2': 0, 'build-3': 3 }, queued: 1 });
    const ended = Promise.all(cats);
    while ((await Promise.race([ended, sleep(100)])) === undefined) await endReaders(pipe);
    expect((await ended).map(({ code }) => code)).toEqual(cats.map(() => 0));
    expect((await hostStates(stack))['build-2']?.problem).toBe(`image-missing: ${someHosts}`);
    const mounted = await run('mounted', 6, 'usleep 1000000');
    expect(new Set(mounted.map((start) => start.host))).toEqual(new Set(['build-1', 'build-2']));
    // A new volume is noticed at once. More commands than the others have room for: the warm ghosts of one could take a few.
    await host(2).docker(['volume', 'create', 'fleet-volume']);
    await expect
      .poll(async () => (await run('mounted', 6, 'usleep 1000000')).map((start) => start.host), {
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
      { host: 'build-2', state: 'draining', by: 'person:admin', reason: 'new disk' },
      { host: 'build-2', state: 'ready' },
    ]);
    expect(await stack.cli(['drain', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nowhere'),
    });
  });

  test('hosts leave and join by gateway.yaml, without a restart and without harm to what runs', async () => {
    const pid = stack.gateway.pid;
    const before = (await stack.audit()).length;
    const job = await type(stack.agents.zoned!, counting('leaving', 'echo on; sleep 3; exit 5'));
    await job.said('on');
    const kept: Record<string, unknown>[] = [];
    await editConfig(stack, (config) => {
      kept.push(...config.hosts.filter(({ name }) => name === 'build-2'));
      config.hosts = config.hosts.filter(({ name }) => name !== 'build-2');
      // No host of zone b is left: an agent that may run nowhere else would make the file refused.
      for (const agent of config.agents as { name: string; hosts?: object }[])
        if (agent.name === 'zoned') delete agent.hosts;
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
    // None ends before all have a place.
    const again = await run('coder', 7, 'usleep 5000000');
    expect(again.filter((start) => start.host === 'build-2')).toHaveLength(1);
    expect(stack.gateway.pid).toBe(pid);
    const since = (await stack.audit()).slice(before);
    const reloads = since.filter((line) => line.event === 'reload').map(({ text }) => text);
    expect(reloads).toEqual(['hosts removed build-2; agents changed zoned', 'hosts added build-2']);
  });

  test('no ghost that waits, too few of them, or a dead one: nothing changes but how long it takes', async () => {
    const script = 'echo out; echo err >&2; pwd; id; env | sort; exit 7';
    const start = async (count: number) => {
      const from = (await stack.audit()).length;
      const all = Array.from({ length: count }, () => inAgent(stack, 'coder', ['sh', '/app/do', script]));
      const ends = (await Promise.all(all)).map(({ code, signal, stdout, stderr }) => ({
        code,
        signal,
        stdout: stdout.toString(),
        stderr,
      }));
      const starts = await startsSince(stack, from, count);
      return { ends, containers: starts.map(({ container }) => String(container)) };
    };
    const waiting = async () => {
      await untilHost(stack, 'build-1', (state) => state?.warm === 1);
      return (await containersOn(host(0))).filter(({ pool }) => pool !== '').map(({ id }) => id);
    };
    const cold = await start(1);
    expect(cold.ends).toMatchObject([{ code: 7, signal: '', stderr: 'err\n' }]);
    await setWarm(1);
    const ready = await waiting();
    const warm = await start(1);
    expect(warm).toEqual({ ends: cold.ends, containers: ready });
    const one = await waiting();
    const many = await start(4);
    expect(many.ends).toEqual(Array.from({ length: 4 }, () => cold.ends[0]));
    expect(new Set(many.containers).size).toBe(4);
    expect(many.containers).toEqual(expect.arrayContaining(one));
    const dead = await waiting();
    await host(0).docker(['kill', ...dead]);
    const after = await start(1);
    expect(after.ends).toEqual(cold.ends);
    expect(dead).not.toContain(after.containers[0]);
    await setWarm(0);
    await untilHost(stack, 'build-1', (state) => state?.warm === 0);
  });

  /** How many ghosts wait on the first host; none may wait on the others. */
  async function setWarm(count: number): Promise<void> {
    await editConfig(stack, (config) => {
      config.hosts = config.hosts.map((each) => ({ ...each, warm: each.name === 'build-1' ? count : 0 }));
      config.warm = count === 0 ? [] : [{ agent: 'coder', tool: 'sh', size: count }];
    });
  }

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
