import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../lab/command.ts';
import { busyboxImage } from '../lab/images/catalogue.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import {
  containersOn,
  counting,
  fleetPolicy,
  hostStates,
  inAgent,
  layScript,
  long,
  mend,
  startsIn,
  startsSince,
  untilHost,
  untilNoOrphans,
} from './fleet.ts';
import { type Typing, type } from './typed.ts';

/** Engines that are killed, frozen, cut off and filled up. */
describe.skipIf(!hasLab() || !long)('Docker hosts that fail (minutes: scripts/test --long)', () => {
  let lab: Lab;
  let stack: Stack;
  let jobs: Job[] = [];
  const volume = 'faults-mounted';

  beforeAll(async () => {
    lab = await startLab({ hosts: 3 });
    await lab.workspaceVolume(volume);
    stack = await startStack(lab, {
      name: 'faults',
      policy: fleetPolicy,
      agents: { coder: {}, mounted: { config: { workspace: { volume } } } },
      host: { slots: 4, warm: 2 },
    });
    await Promise.all(['coder', 'mounted'].map((agent) => layScript(stack, agent)));
  }, 180_000);
  afterAll(async () => {
    await stack?.stop();
    await lab?.stop();
  });
  afterEach(async () => {
    await Promise.all(lab.hosts.map(mend));
    await expectAllIsWell();
  }, 160_000);

  interface Job extends Typing {
    readonly canary: string;
    readonly host: LabHost;
  }

  /** Every host is back, every command was started once and its shim has ended, nothing is left. */
  async function expectAllIsWell(): Promise<void> {
    const ran = jobs;
    jobs = [];
    await Promise.all(ran.map(({ ended }) => ended));
    const counts = await Promise.all(ran.map(({ canary }) => startsIn(stack, 'coder', canary)));
    expect(counts).toEqual(ran.map(() => 1));
    for (const { name } of lab.hosts)
      await untilHost(stack, name, (state) => state?.state === 'ready', 60_000);
    await untilNoOrphans(lab, stack);
    const starts = (await stack.audit())
      .filter((line) => line.type === 'start')
      .map((line) => line.execution);
    expect(new Set(starts).size).toBe(starts.length);
  }

  /** A command that has started, and its host. */
  async function job(then: string): Promise<Job> {
    const from = (await stack.audit()).length;
    const canary = `canary-${randomUUID()}`;
    const typing = await type(stack.agents.coder!, counting(canary, `echo on; ${then}`));
    await typing.said('on');
    const [start] = await startsSince(stack, from, 1);
    const host = lab.hosts.find(({ name }) => name === start?.host);
    if (host === undefined) throw new Error('the command runs nowhere');
    const made = { ...typing, canary, host };
    jobs.push(made);
    return made;
  }

  async function expectSoon<T>(
    ask: () => Promise<T>,
    fits: (found: T) => boolean,
    timeout = 10_000,
  ): Promise<T> {
    const answers: T[] = [];
    const fit = async () => {
      answers.push(await ask());
      return fits(answers.at(-1)!);
    };
    await expect.poll(fit, { timeout, interval: 100 }).toBe(true);
    return answers.at(-1)!;
  }

  async function lateExits(): Promise<AuditLine[]> {
    return (await stack.audit()).filter((line) => line.type === 'late-exit');
  }

  /** Runs six at once, and none may fail; returns their hosts. */
  async function workGoesOn(without?: LabHost, agent = 'coder'): Promise<unknown[]> {
    const from = (await stack.audit()).length;
    const all = await Promise.all(
      Array.from({ length: 6 }, () => inAgent(stack, agent, ['usleep', '200000'])),
    );
    expect(all.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(all.map(() => '0 '));
    const hosts = (await startsSince(stack, from, 6)).map(({ host }) => host);
    if (without !== undefined) expect(hosts).not.toContain(without.name);
    return hosts;
  }

  async function expectLost({ ended }: Typing): Promise<void> {
    const { code, stderr } = await ended;
    const line = expect.stringMatching(/^clawrden: host-lost: [^\n]*\n$/);
    expect({ code, stderr }).toEqual({ code: 125, stderr: line });
  }

  async function untilReady({ name }: LabHost): Promise<void> {
    await untilHost(stack, name, (state) => state?.state === 'ready', 40_000);
  }

  test('P15 P23 an engine that is killed under a command: 125 at once, no second start, work goes on elsewhere', async () => {
    const lost = await job('sleep 60');
    const killed = performance.now();
    await lost.host.kill();
    try {
      await expectLost(lost);
      expect(performance.now() - killed).toBeLessThan(2000);
      await workGoesOn(lost.host);
      const known = (await hostStates(stack))[lost.host.name];
      expect(known).toMatchObject({ state: 'down', running: 0, warm: 0 });
    } finally {
      await lost.host.restart();
    }
    await untilReady(lost.host);
  });

  test('P24 a frozen engine: given up in 15 s, its command ends with 125, and what is left goes once it is back', async () => {
    const before = await lateExits();
    const lost = await job('sleep 60');
    const frozen = performance.now();
    await lost.host.freeze();
    try {
      await expectLost(lost);
      expect(performance.now() - frozen).toBeLessThan(15_000);
      await workGoesOn(lost.host);
    } finally {
      await lost.host.thaw();
    }
    await untilReady(lost.host);
    await expectSoon(lateExits, (found) => found.length === before.length + 1);
  });

  test('an engine that stands still for a moment loses nothing', async () => {
    const kept = await job('sleep 6; exit 6');
    await kept.host.freeze();
    await sleep(4000);
    await kept.host.thaw();
    expect(await kept.ended).toMatchObject({ code: 6, stderr: '' });
  });

  test('an engine that restarts with ghosts on it, running and waiting', async () => {
    await workGoesOn();
    await untilHost(stack, 'build-1', (state) => (state?.warm ?? 0) > 0);
    const first = await job('sleep 60');
    const all = [first, await job('sleep 60'), await job('sleep 60')];
    const there = all.filter(({ host }) => host === first.host);
    await first.host.restart();
    for (const lost of there) expect(await lost.ended).toMatchObject({ code: 125 });
    await workGoesOn();
    for (const other of all.filter((each) => !there.includes(each))) await other.signal('SIGTERM');
  });

  test('a host that loses its power', async () => {
    const lost = await job('sleep 60');
    await lost.host.powerOff();
    try {
      await expectLost(lost);
      await workGoesOn(lost.host);
    } finally {
      await lost.host.powerOn();
    }
    await untilReady(lost.host);
  });

  test('P24 a gateway that is killed: the next one removes what it left, and makes its own', async () => {
    const lost = await job('sleep 60');
    await stack.gateway.end('SIGKILL');
    expect(await lost.ended).toMatchObject({ code: 125 });
    await stack.startGateway();
    const known = await hostStates(stack);
    for (const host of lab.hosts) {
      const running = (await containersOn(host)).filter(({ state }) => state === 'running');
      expect(running.length).toBe(known[host.name]?.warm);
    }
    await expectSoon(
      async () => (await inAgent(stack, 'coder', ['true'])).code,
      (code) => code === 0,
    );
  });

  test('a host whose disk is full takes no work that others can do, and takes some again when there is space', async () => {
    const full = lab.hosts[0]!;
    const free = await fillDisk(full);
    try {
      for (let round = 0; round < 3; round++) await workGoesOn();
      expect((await hostStates(stack))[full.name]?.state).toBe('ready');
    } finally {
      await free();
    }
    await untilWorkOn(full);
  });

  test('an image that goes from one host: work goes on elsewhere, and there again when it is back', async () => {
    const without = lab.hosts[1]!;
    const archive = join(lab.dir, 'busybox.tar');
    await run(['docker', '-H', `unix://${without.socket}`, 'save', '--output', archive, busyboxImage]);
    await setDraining('drain', without);
    await untilHost(stack, without.name, (state) => state?.warm === 0 && state.running === 0);
    await expectSoon(
      async () => (await without.docker(['rmi', '--force', busyboxImage])).code,
      (code) => code === 0,
    );
    await setDraining('undrain', without);
    try {
      const problem = `image-missing: ${busyboxImage}`;
      await untilHost(stack, without.name, (state) => state?.problem.includes(problem) ?? false);
      await workGoesOn(without);
    } finally {
      await without.docker(['load', '--input', archive]);
    }
    await untilWorkOn(without);
  });

  test('a workspace that goes from one host: work goes on elsewhere, and there again when it is back', async () => {
    const without = lab.hosts[2]!;
    await workGoesOn(undefined, 'mounted');
    await setDraining('drain', without);
    await expectSoon(
      async () => (await without.docker(['volume', 'rm', volume])).code,
      (code) => code === 0,
    );
    await setDraining('undrain', without);
    await workGoesOn(without, 'mounted');
    expect((await without.docker(['volume', 'ls', '--quiet'])).stdout).not.toContain(volume);
    await lab.workspaceVolume(volume);
    await untilWorkOn(without, 'mounted');
  });

  async function setDraining(command: 'drain' | 'undrain', { name }: LabHost): Promise<void> {
    expect(await stack.cli([command, name])).toMatchObject({ code: 0, stderr: '' });
  }

  async function untilWorkOn({ name }: LabHost, agent = 'coder'): Promise<void> {
    const onIt = async () => (await workGoesOn(undefined, agent)).includes(name);
    await expectSoon(onIt, (found) => found, 70_000);
  }

  test('P24 a link that is cut for 30 s: the end is learnt later, by the audit alone', async () => {
    const before = (await lateExits()).length;
    const lost = await job('sleep 20; exit 7');
    const cut = performance.now();
    await lost.host.cut();
    try {
      await expectLost(lost);
      expect(performance.now() - cut).toBeLessThan(15_000);
      await workGoesOn(lost.host);
      await sleep(30_000 - (performance.now() - cut));
    } finally {
      await lost.host.heal();
    }
    await untilReady(lost.host);
    const late = await expectSoon(
      async () => (await lateExits()).slice(before),
      (found) => found.length > 0,
    );
    expect(late).toMatchObject([{ host: lost.host.name, code: 7 }]);
  });
});

/** Leaves no space where the engine makes its containers; a small file system replaces the disk. */
async function fillDisk(host: LabHost): Promise<() => Promise<void>> {
  const inside = ['nsenter', `--target=${await host.pid()}`, '--mount', '--pid'];
  const { stdout } = await host.docker(['info', '--format', '{{.DockerRootDir}}']);
  const containers = `${stdout.trim()}/containers`;
  await run([...inside, 'mount', '-t', 'tmpfs', '-o', 'size=4k', 'clawrden-full', containers]);
  await run([...inside, 'sh', '-c', `head -c 4096 /dev/zero > ${containers}/filler || true`]);
  return async () => void (await run([...inside, 'umount', '--lazy', containers]));
}
