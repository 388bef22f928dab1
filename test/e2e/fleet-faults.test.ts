import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../lab/command.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import {
  auditSince,
  containersOn,
  counting,
  fleetPolicy,
  hostStates,
  inAgent,
  layScript,
  long,
  startsIn,
  untilHost,
  untilNoOrphans,
} from './fleet.ts';
import { type Typing, type } from './typed.ts';

// Minutes of waiting for engines that are killed, frozen, cut off and filled up: for the long run.
describe.skipIf(!hasLab() || !long)('Docker hosts that fail', () => {
  let lab: Lab;
  let stack: Stack;
  let canaries = 0;

  beforeAll(async () => {
    lab = await startLab({ hosts: 3 });
    stack = await startStack(lab, { name: 'faults', policy: fleetPolicy, host: { slots: 4, warm: 2 } });
    await layScript(stack, 'coder');
  }, 180_000);
  afterAll(async () => {
    await stack?.stop();
    await lab?.stop();
  });
  afterEach(() => expectAllIsWell(), 130_000);

  /** Every host is back, every command was started once, nothing is left. */
  async function expectAllIsWell(): Promise<void> {
    for (const { name } of lab.hosts)
      await untilHost(stack, name, (state) => state?.state === 'ready', 60_000);
    await untilNoOrphans(lab, stack);
    const starts = (await stack.audit())
      .filter((line) => line.type === 'start')
      .map((line) => line.execution);
    expect(new Set(starts).size).toBe(starts.length);
  }

  interface Job extends Typing {
    readonly canary: string;
    readonly host: LabHost;
  }

  /** A command that has started, and where. */
  async function job(then: string): Promise<Job> {
    const from = (await stack.audit()).length;
    canaries += 1;
    const canary = `canary-${canaries}`;
    const typing = await type(stack.agents.coder!, counting(canary, `echo on; ${then}`));
    await typing.said('on');
    const starts = await expectSoon(
      async () => auditSince(stack, from, 'start'),
      (found) => found.length > 0,
    );
    const host = lab.hosts.find(({ name }) => name === starts[0]?.host);
    if (host === undefined) throw new Error('the command runs nowhere');
    return { ...typing, canary, host };
  }

  async function expectSoon<T>(
    ask: () => Promise<T>,
    fits: (found: T) => boolean,
    timeout = 10_000,
  ): Promise<T> {
    let found = await ask();
    await expect.poll(async () => fits((found = await ask())), { timeout, interval: 100 }).toBe(true);
    return found;
  }

  async function lateExits(): Promise<AuditLine[]> {
    return (await stack.audit()).filter((line) => line.type === 'late-exit');
  }

  async function workGoesOn(without?: LabHost): Promise<void> {
    const from = (await stack.audit()).length;
    const all = await Promise.all(
      Array.from({ length: 6 }, () => inAgent(stack, 'coder', ['usleep', '200000'])),
    );
    expect(all.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(all.map(() => '0 '));
    const hosts = (await auditSince(stack, from, 'start')).map(({ host }) => host);
    if (without !== undefined) expect(hosts).not.toContain(without.name);
  }

  test('P15 P23 an engine that is killed under a command: 125 at once, no second start, work goes on elsewhere', async () => {
    const lost = await job('sleep 60');
    const killed = performance.now();
    await lost.host.kill();
    const { code, stderr } = await lost.ended;
    expect(performance.now() - killed).toBeLessThan(2000);
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: expect.stringMatching(/^clawrden: host-lost: [^\n]*\n$/),
    });
    await workGoesOn(lost.host);
    expect((await hostStates(stack))[lost.host.name]).toMatchObject({ state: 'down', running: 0, warm: 0 });
    await lost.host.restart();
    await untilHost(stack, lost.host.name, (state) => state?.state === 'ready');
    expect(await startsIn(stack, 'coder', lost.canary)).toBe(1);
  });

  test('P24 a frozen engine: given up in 15 s, its command ends with 125, and what is left goes once it is back', async () => {
    const before = await lateExits();
    const lost = await job('sleep 60');
    const frozen = performance.now();
    await lost.host.freeze();
    const { code, stderr } = await lost.ended;
    const took = performance.now() - frozen;
    expect({ code, stderr }).toEqual({ code: 125, stderr: expect.stringContaining('clawrden: host-lost: ') });
    expect(took).toBeGreaterThan(2000);
    expect(took).toBeLessThan(15_000);
    await workGoesOn(lost.host);
    await lost.host.thaw();
    await untilHost(stack, lost.host.name, (state) => state?.state === 'ready', 40_000);
    await expectSoon(lateExits, (found) => found.length === before.length + 1);
    expect(await startsIn(stack, 'coder', lost.canary)).toBe(1);
  });

  test('an engine that stands still for a moment loses nothing', async () => {
    const kept = await job('sleep 6; exit 6');
    await kept.host.freeze();
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await kept.host.thaw();
    expect(await kept.ended).toMatchObject({ code: 6, stderr: '' });
    expect(await startsIn(stack, 'coder', kept.canary)).toBe(1);
  });

  test('an engine that restarts with ghosts on it, running and waiting', async () => {
    await workGoesOn();
    await untilHost(stack, 'build-1', (state) => (state?.warm ?? 0) > 0);
    const jobs = [await job('sleep 60'), await job('sleep 60'), await job('sleep 60')];
    const [first] = jobs;
    const there = jobs.filter(({ host }) => host === first?.host);
    await first?.host.restart();
    for (const lost of there) expect(await lost.ended).toMatchObject({ code: 125 });
    await workGoesOn();
    for (const lost of there) expect(await startsIn(stack, 'coder', lost.canary)).toBe(1);
    for (const other of jobs.filter((each) => !there.includes(each))) await other.signal('SIGTERM');
    await Promise.all(jobs.map(({ ended }) => ended));
  });

  test('a host that loses its power', async () => {
    const lost = await job('sleep 60');
    await lost.host.powerOff();
    expect(await lost.ended).toMatchObject({ code: 125, stderr: expect.stringContaining('host-lost') });
    await workGoesOn(lost.host);
    await lost.host.powerOn();
    await untilHost(stack, lost.host.name, (state) => state?.state === 'ready');
    expect(await startsIn(stack, 'coder', lost.canary)).toBe(1);
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
    expect(await startsIn(stack, 'coder', lost.canary)).toBe(1);
    await expectSoon(
      async () => (await inAgent(stack, 'coder', ['true'])).code,
      (code) => code === 0,
    );
  });

  test('a host whose disk is full takes no work that others can do, and takes some again when there is space', async () => {
    const [full] = lab.hosts;
    if (full === undefined) throw new Error('no host');
    const free = await fillDisk(full);
    try {
      for (let round = 0; round < 3; round++) await workGoesOn();
      expect((await hostStates(stack))[full.name]?.state).toBe('ready');
    } finally {
      await free();
    }
    const onIt = async () => {
      const from = (await stack.audit()).length;
      await workGoesOn();
      return (await auditSince(stack, from, 'start')).some(({ host }) => host === full.name);
    };
    await expectSoon(onIt, (found) => found, 70_000);
  }, 120_000);

  test('P24 a link that is cut for 30 s: the end is learnt later, by the audit alone', async () => {
    const before = (await lateExits()).length;
    const lost = await job('sleep 20; exit 7');
    const cut = performance.now();
    await lost.host.cut();
    expect(await lost.ended).toMatchObject({ code: 125, stderr: expect.stringContaining('host-lost') });
    expect(performance.now() - cut).toBeLessThan(15_000);
    await workGoesOn(lost.host);
    await new Promise((resolve) => setTimeout(resolve, 30_000 - (performance.now() - cut)));
    await lost.host.heal();
    await untilHost(stack, lost.host.name, (state) => state?.state === 'ready', 40_000);
    const late = await expectSoon(
      async () => (await lateExits()).slice(before),
      (found) => found.length > 0,
    );
    expect(late).toMatchObject([{ host: lost.host.name, code: 7 }]);
    expect(await startsIn(stack, 'coder', lost.canary)).toBe(1);
  }, 120_000);
});

/** Leaves no space where the engine makes its containers; a small file system stands in for the disk. */
async function fillDisk(host: LabHost): Promise<() => Promise<void>> {
  const inside = ['nsenter', `--target=${await host.pid()}`, '--mount', '--pid'];
  const { stdout } = await host.docker(['info', '--format', '{{.DockerRootDir}}']);
  const containers = `${stdout.trim()}/containers`;
  await run([...inside, 'mount', '-t', 'tmpfs', '-o', 'size=4k', 'clawrden-full', containers]);
  await run([...inside, 'sh', '-c', `head -c 4096 /dev/zero > ${containers}/filler || true`]);
  return async () => void (await run([...inside, 'umount', '--lazy', containers]));
}
