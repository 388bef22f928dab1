import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processesMentioning } from '../lab/host-processes.ts';
import { busyboxImage } from '../lab/images/catalogue.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, shells, untilAudited, untilNoGhosts } from './life.ts';
import { type, typed } from './typed.ts';

const brokenImage = 'clawrden-e2e/broken:latest';

describe.skipIf(!hasLab())('how a command ends', () => {
  let stack: Stack;
  const host = () => sharedLab().hosts[0]!;
  const agent = () => stack.agents.ender!;

  beforeAll(async () => {
    await makeBrokenImage(host());
    const tools = `  broken-ghost: { strategy: ghost, image: "${brokenImage}" }\n  broken-mirror: { strategy: mirror }`;
    const policy = lifePolicy({ tools });
    stack = await startStack(sharedLab(), { name: 'ending', policy, agents: { ender: {} } });
    const script = `cd /usr/local/bin && echo nothing > broken-mirror`;
    await agent().exec(['/bin/sh', '-c', `mkdir -p /usr/local/bin && ${script}`], { user: '0:0' });
  });
  afterAll(async () => {
    await stack?.stop();
    await host().docker(['rmi', '--force', brokenImage]);
  });

  describe.each(shells)('$strategy', ({ shell }) => {
    test.each([0, 1, 2, 42, 124, 125, 126, 127, 128, 137, 255])('exit code %i', async (code) => {
      expect(await typed(agent(), [shell, `exit ${code}`])).toMatchObject({
        code,
        signal: '',
        stderr: '',
      });
    });

    test.each(['SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGUSR1'] as const)('death by %s', async (signal) => {
      const script = `kill -${constants.signals[signal]} $$`;
      expect(await typed(agent(), [shell, script])).toMatchObject({ code: -1, signal, stderr: '' });
    });

    test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)('%s to the shim', async (signal) => {
      const script = `trap 'echo caught; exit 9' ${constants.signals[signal]}; echo on; while :; do sleep 0.05; done`;
      const typing = await type(agent(), [shell, script]);
      await typing.said('on');
      await typing.signal(signal);
      const { code, stdout } = await typing.ended;
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 9, stdout: 'on\ncaught\n' });
    });

    test('a signal that the tool dies by is what the shim dies by', async () => {
      const typing = await type(agent(), [shell, 'echo on; exec sleep 30']);
      await typing.said('on');
      await typing.signal('SIGTERM');
      expect(await typing.ended).toMatchObject({ code: -1, signal: 'SIGTERM' });
    });

    test('P24 nothing that it leaves in the background outlives it', async () => {
      const mark = randomUUID();
      const left = `sh -c ": ${mark}; trap : TERM HUP; sleep 600; sleep 600"`;
      const script = `(setsid ${left} > /dev/null 2>&1 &) ; (${left} &) ; ${left} & echo done; exit 6`;
      const { code, stdout, ms } = await typed(agent(), [shell, script]);
      expect([code, stdout.toString()]).toEqual([6, 'done\n']);
      expect(ms).toBeLessThan(10_000);
      await waitUntil(
        'all of it to be gone',
        3000,
        async () => (await processesMentioning(mark)).length === 0,
      );
    });

    test('the audit has where it ran, what it wrote and what it used', async () => {
      const script = `i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; echo out; echo error >&2; exit 3`;
      const from = (await stack.audit()).length;
      await typed(agent(), [shell, script]);
      const [outcome] = await untilAudited(stack, 'outcome', ({ seq }) => Number(seq) > from);
      const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
      expect(outcome).toMatchObject({
        ...{ outcome: 'exited', code: 3, stdoutBytes: 4, stderrBytes: 6 },
        ...{ stdoutDigest: sha256('out\n'), stderrDigest: sha256('error\n') },
        durationsMs: { received: expect.any(Number), running: expect.any(Number) },
        usage: { maxResidentKib: expect.any(Number) },
      });
      const { userMs = 0, systemMs = 0 } = (outcome?.usage ?? {}) as Record<string, number>;
      expect(userMs + systemMs).toBeGreaterThan(5);
      const [start] = await untilAudited(stack, 'start', ({ execution }) => execution === outcome?.execution);
      expect(start).toMatchObject({
        host: expect.stringMatching(/./),
        container: expect.stringMatching(/./),
      });
    });

    test('a denied command', async () => {
      const { code, stderr } = await typed(agent(), [shell, ': no']);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^clawrden: denied-by-rule: not here .*\n$/);
    });
  });

  test.each([
    ['ghost', ['tail', '-f', '/dev/null']],
    ['mirror', ['usleep', '30000000']],
  ])('a %s at its timeout', async (_strategy, argv) => {
    const { code, stderr, ms } = await typed(agent(), argv);
    expect(code).toBe(124);
    expect(stderr).toMatch(/^clawrden: run-timeout: .*\n$/);
    expect(ms).toBeLessThan(5000);
  });

  test.each([['no-such-tool'], ['no-such-thing']])('%s does not exist', async (tool) => {
    const { code, stderr } = await typed(agent(), [tool]);
    expect(code).toBe(127);
    expect(stderr).toMatch(/^clawrden: not-found: .*\n$/);
  });

  test('a tool that the policy does not know', async () => {
    const script = 'ln -sf /clawrden/bin/.shim /tmp/rogue && exec /tmp/rogue';
    const { code, stderr } = await typed(agent(), ['/bin/sh', '-c', script]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^clawrden: tool-unknown: .*\n$/);
  });

  test.each([['ghost'], ['mirror']])('a %s of a file that cannot be executed', async (strategy) => {
    const { code, stderr } = await typed(agent(), [`broken-${strategy}`]);
    expect(code).toBe(126);
    expect(stderr).toMatch(/^clawrden: not-executable: .*\n$/);
  });

  test('no ghost is left', async () => {
    expect(await untilNoGhosts(sharedLab(), 'ender', 10_000)).toBeLessThan(10_000);
  });
});

/** Busybox with a file on its PATH that is not executable. */
async function makeBrokenImage(host: LabHost): Promise<void> {
  const script = 'mkdir -p /usr/local/bin && echo nothing > /usr/local/bin/broken-ghost';
  const { stdout } = await host.docker(['run', '--detach', busyboxImage, 'ghostly', script]);
  const id = stdout.trim();
  await host.docker(['wait', id]);
  await host.docker(['commit', id, brokenImage]);
  await host.docker(['rm', id]);
}
