import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { ghostsOf, lifePolicy, shells, untilAudited, untilNoGhosts } from './life.ts';
import { processesOf, type Typing, type, typed } from './typed.ts';

describe.skipIf(!hasLab())('a command that loses a part of its chain', () => {
  let stack: Stack;
  const agent = () => stack.agents.loser!;
  /** What the agent's container runs without Clawrden. */
  let idle = 0;

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'abandoned', policy: lifePolicy(), agents: { loser: {} } });
    idle = (await processesOf(agent())).length;
  });
  afterAll(() => stack?.stop());

  async function works(): Promise<boolean> {
    const both = await Promise.all(shells.map(({ shell }) => typed(agent(), [shell, 'exit 4'])));
    return both.every(({ code }) => code === 4);
  }

  async function running(shell: string): Promise<Typing> {
    const typing = await type(agent(), [shell, 'echo on; sleep 300']);
    await typing.said('on');
    return typing;
  }

  async function untilNothingRuns(withinMs: number): Promise<void> {
    const began = performance.now();
    await untilNoGhosts(sharedLab(), 'loser', withinMs);
    const alone = async () => (await processesOf(agent())).length === idle;
    await waitUntil('the mirrors to end', withinMs - (performance.now() - began), alone);
  }

  test.each(shells)('SIGKILL of the shim: its $strategy is gone after 3 s', async ({ shell }) => {
    const typing = await running(shell);
    await typing.signal('SIGKILL');
    await untilNothingRuns(3000);
    expect(await typing.ended).toMatchObject({ signal: 'SIGKILL' });
    await untilAudited(stack, 'outcome', ({ reason }) => reason === 'requester-gone');
    expect(await works()).toBe(true);
  });

  test('SIGKILL of the relay: shims end with 125, nothing is left', async () => {
    const typings = await Promise.all(shells.map(({ shell }) => running(shell)));
    const began = performance.now();
    await stack.relay.end('SIGKILL');
    for (const typing of typings) {
      const { code, stderr } = await typing.ended;
      expect([code, stderr]).toEqual([125, expect.stringMatching(/^clawrden: relay-lost: .*\n$/)]);
    }
    expect(performance.now() - began).toBeLessThan(5000);
    await untilNothingRuns(15_000);
    await stack.startRelay();
    expect(await works()).toBe(true);
  });

  test('SIGKILL of the gateway: shims end with 125, nothing is left', async () => {
    const typings = await Promise.all(shells.map(({ shell }) => running(shell)));
    const began = performance.now();
    await stack.gateway.end('SIGKILL');
    for (const typing of typings) {
      const { code, stderr } = await typing.ended;
      expect([code, stderr]).toEqual([125, expect.stringMatching(/^clawrden: gateway-lost: .*\n$/)]);
    }
    expect(performance.now() - began).toBeLessThan(15_000);
    await untilNothingRuns(15_000);
    await stack.startGateway();
    expect(await works()).toBe(true);
  });

  test('a gateway that starts removes what its forerunner left, and nothing of another', async () => {
    const [host] = sharedLab().hosts;
    const typing = await running('ghostly');
    const [ghost = ''] = await ghostsOf(sharedLab(), 'loser');
    const labels = await Promise.all(
      sharedLab().hosts.map((one) => one.docker(['inspect', ghost, '--format', format])),
    );
    const own = labels.map(({ stdout }) => stdout.trim()).join('');
    await stack.gateway.end('SIGKILL');
    await typing.ended;
    const stray = async (gateway: string) => {
      const label = ['--label', `clawrden.gateway=${gateway}`, '--label', 'clawrden.agent=stray'];
      return (await host!.docker(['run', '--detach', ...label, busyboxImage, 'sleep', '300'])).stdout.trim();
    };
    await stray(own);
    const other = await stray('another');
    await stack.startGateway();
    expect(await ghostsOf(sharedLab(), 'stray')).toEqual([other]);
    await host!.docker(['rm', '--force', other]);
  });

  test('TERM to the relay: what runs ends by itself, what is typed meanwhile meets the next relay', async () => {
    const before = await Promise.all(
      shells.map(async ({ shell }) => {
        const typing = await type(agent(), [shell, 'echo on; sleep 1; exit 6']);
        await typing.said('on');
        return typing;
      }),
    );
    const ended = stack.relay.end('SIGTERM');
    await waitUntil('the relay to drain', 5000, () => says(stack.relay.log, 'draining'));
    const late = await type(agent(), ['ghostly', 'exit 8']);
    for (const typing of before) expect(await typing.ended).toMatchObject({ code: 6, stderr: '' });
    expect(await ended).toBe(0);
    await stack.startRelay();
    expect(await late.ended).toMatchObject({ code: 8 });
  });

  test('TERM to the gateway: what runs ends by itself, what is typed meanwhile meets the next gateway', async () => {
    const before = await Promise.all(
      shells.map(async ({ shell }) => {
        const typing = await type(agent(), [shell, 'echo on; sleep 2; exit 6']);
        await typing.said('on');
        return typing;
      }),
    );
    const ended = stack.gateway.end('SIGTERM');
    await waitUntil('the gateway to drain', 5000, () => says(stack.gateway.log, 'draining'));
    const late = await type(agent(), ['ghostly', 'exit 8']);
    for (const typing of before) expect(await typing.ended).toMatchObject({ code: 6, stderr: '' });
    expect(await ended).toBe(0);
    await stack.startGateway();
    expect(await late.ended).toMatchObject({ code: 8, stderr: '' });
    expect(await works()).toBe(true);
  });
});

const format = '{{ index .Config.Labels "clawrden.gateway" }}';

async function says(log: string, text: string): Promise<boolean> {
  return (await readFile(log, 'utf8')).includes(text);
}
