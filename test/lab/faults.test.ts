import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attempt } from './command.ts';
import { answers } from './engine.ts';
import { agentImage, busyboxImage } from './images/catalogue.ts';
import { type Lab, startLab } from './lab.ts';
import type { LabHost } from './lab-host.ts';
import { hasLab } from './shared-lab.ts';
import { waitUntil } from './wait.ts';

describe.skipIf(!hasLab())('faults of a host', () => {
  let lab: Lab;
  let host: LabHost;
  let other: LabHost;
  beforeAll(async () => {
    lab = await startLab({ hosts: 2 });
    [host, other] = [lab.hosts[0]!, lab.hosts[1]!];
  });
  afterAll(() => lab?.stop());

  test('cut makes one host unreachable and heal makes it reachable', async () => {
    expect(await connects(host)).toBe(true);
    await host.cut();
    expect(await connects(host)).toBe(false);
    expect(await connects(other)).toBe(true);
    expect(await answers(host.socket)).toBe(true);
    await host.heal();
    await waitUntil('reachable again', 5000, () => connects(host));
  });

  test('cut concerns a program that runs on the host too', async () => {
    const script = `net.connect(2376, '${other.address}').on('connect', () => process.exit(0))`;
    const probe = host.onNetwork([process.execPath, '--eval', script]);
    expect(await attempt(probe, { timeout: 5000 })).toMatchObject({ code: 0 });
    await host.cut();
    expect(await attempt(probe, { timeout: 1000 })).toMatchObject({ code: null });
    await host.heal();
  });

  test('delay holds every round trip to one host, lets bulk through whole, and ends', async () => {
    await host.delay(40);
    await waitUntil('the wire to carry', 5000, () => connects(host));
    expect(await fastestConnect(host)).toBeGreaterThanOrEqual(40);
    expect(await fastestConnect(other)).toBeLessThan(30);
    const bytes = randomBytes(6_000_000);
    const sum = await attempt([...byTls(host), 'run', '--rm', '-i', busyboxImage, 'sha256sum'], {
      input: bytes,
    });
    expect(sum.stdout).toContain(createHash('sha256').update(bytes).digest('hex'));
    const zeros = ['run', '--rm', busyboxImage, 'head', '-c', '6000000', '/dev/zero'];
    expect((await attempt([...byTls(host), ...zeros])).stdout.length).toBe(6_000_000);
    await host.cut();
    expect(await connects(host)).toBe(false);
    await host.heal();
    await waitUntil('reachable again', 5000, () => connects(host));
    await host.delay(0);
    await waitUntil('reachable again', 5000, () => connects(host));
    expect(await fastestConnect(host)).toBeLessThan(30);
  });

  test('freeze: connections are taken and nothing is answered, until thaw', async () => {
    await host.freeze();
    expect(await connects(host)).toBe(true);
    expect(await answers(host.socket)).toBe(false);
    await host.thaw();
    expect(await answers(host.socket)).toBe(true);
  });

  test('restart ends a freeze', async () => {
    const before = await host.pid();
    await host.freeze();
    await host.restart();
    expect(await answers(host.socket)).toBe(true);
    expect(await host.pid()).not.toBe(before);
  });

  test('kill ends the engine and not its containers; the next start finds them', async () => {
    const name = 'clawrden-survivor';
    await host.docker(['run', '--detach', '--init', '--name', name, agentImage]);
    const pid = Number((await host.docker(['inspect', '--format', '{{.State.Pid}}', name])).stdout);
    expect(pid).toBeGreaterThan(0);
    await host.kill();
    expect(await answers(host.socket)).toBe(false);
    await expect(host.pid()).rejects.toThrow('no engine');
    expect(await host.commandsRunning()).toContain('sleep infinity');
    await host.restart();
    expect((await host.docker(['ps', '--all', '--format', '{{.Names}}'])).stdout).toContain(name);
    await host.docker(['rm', '--force', name]);
  });

  test('power off ends everything on the host; power on brings the engine back', async () => {
    await host.docker(['run', '--detach', '--name', 'clawrden-victim', agentImage]);
    await host.powerOff();
    expect(await host.commandsRunning()).toEqual([]);
    await host.powerOn();
    const state = await host.docker(['ps', '--all', '--format', '{{.Names}} {{.State}}']);
    expect(state.stdout).toContain('clawrden-victim exited');
    expect((await host.docker(['run', '--rm', busyboxImage, 'true'])).code).toBe(0);
  });
});

function byTls({ url, tls }: LabHost): string[] {
  return [
    'docker',
    '-H',
    url,
    '--tlsverify',
    '--tlscacert',
    tls.ca,
    '--tlscert',
    tls.cert,
    '--tlskey',
    tls.key,
  ];
}

async function fastestConnect(host: LabHost): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    expect(await connects(host)).toBe(true);
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

async function connects(host: LabHost): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: host.address, port: 2376, timeout: 1000 });
  const end = (answer: boolean) => {
    socket.destroy();
    resolve(answer);
  };
  socket
    .once('connect', () => end(true))
    .once('timeout', () => end(false))
    .once('error', () => end(false));
  return promise;
}
