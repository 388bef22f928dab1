import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, shells, untilNoGhosts } from './life.ts';
import { type Typing, type, typed } from './typed.ts';

const mebibyte = 1024 * 1024;
const allowed = 32 * mebibyte;
/** A mirror's bytes take the same way through the relay as a ghost's do: the full count of both is for the long run. */
const sizes = { ghost: 1024, mirror: process.env.CLAWRDEN_LONG === '1' ? 1024 : 192 };

describe.skipIf(!hasLab())('a reader that stalls', () => {
  let stack: Stack;
  const agent = () => stack.agents.staller!;
  const memory = async () => ({ relay: await rss(stack.relay.pid), gateway: await rss(stack.gateway.pid) });

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'stall', policy: lifePolicy(), agents: { staller: {} } });
    // What a first large answer makes Node allocate once is no back-pressure's doing.
    for (const { shell } of shells) await typed(agent(), [shell, 'dd if=/dev/zero bs=1M count=64']);
  });
  afterAll(() => stack?.stop());

  test.each(shells)(
    'A-59: the output of a $strategy through a reader that stalls',
    { timeout: 120_000 },
    async ({ strategy, shell }) => {
      const before = await memory();
      const most = { relay: 0, gateway: 0 };
      const note = async () => {
        const now = await memory();
        most.relay = Math.max(most.relay, now.relay - before.relay);
        most.gateway = Math.max(most.gateway, now.gateway - before.gateway);
      };
      const dd = `dd if=/dev/zero bs=1M count=${sizes[strategy]} 2> /dev/null`;
      const typing = await type(agent(), [shell, dd], { keepStdout: true });
      await sleep(1500);
      await note();
      const watch = setInterval(() => void note(), 200);
      expect(await countAll(typing)).toBe(sizes[strategy] * mebibyte);
      expect(await typing.ended).toMatchObject({ code: 0, stderr: '' });
      clearInterval(watch);
      await note();
      expect(most.relay).toBeLessThan(allowed);
      expect(most.gateway).toBeLessThan(allowed);
    },
  );

  test.each(shells)('A-59: Ctrl-C ends a $strategy whose reader has stalled', async ({ shell }) => {
    const typing = await type(agent(), [shell, 'exec cat /dev/zero'], { keepStdout: true });
    const runs = async () => (await running(sharedLab())).includes('cat /dev/zero');
    await waitUntil('the tool to start', 5000, runs);
    await sleep(500);
    await typing.signal('SIGINT');
    await waitUntil('the tool to end', 2000, async () => !(await runs()));
    typing.stdout?.resume();
    expect(await typing.ended).toMatchObject({ code: -1, signal: 'SIGINT' });
    await untilNoGhosts(sharedLab(), 'staller', 5000);
  });
});

/** Command lines on all hosts. */
async function running(lab: Lab): Promise<string[]> {
  const perHost = await Promise.all([...lab.hosts, lab.agentHost].map((host) => host.commandsRunning()));
  return perHost.flat();
}

async function countAll({ stdout }: Typing): Promise<number> {
  let bytes = 0;
  stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  if (stdout !== null) await once(stdout, 'end');
  return bytes;
}

async function rss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
