import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
/**
 * A mirror's bytes take the same path through the relay as a ghost's: only the long run does the full count for both.
 */
const sizes = { ghost: 1024, mirror: process.env.CLAWRDEN_LONG === '1' ? 1024 : 192 };

/** Mebibytes of stdin. */
const fed = process.env.CLAWRDEN_LONG === '1' ? 1024 : 128;
const stallMs = process.env.CLAWRDEN_LONG === '1' ? 20_000 : 1500;

describe.skipIf(!hasLab())('a reader that stalls', () => {
  let stack: Stack;
  const agent = () => stack.agents.staller!;
  const memory = async () => ({ relay: await rss(stack.relay.pid), gateway: await rss(stack.gateway.pid) });

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'stall', policy: lifePolicy(), agents: { staller: {} } });
    // Memory that Node allocates once for the first large answer is not back-pressure's fault.
    for (const { shell } of shells) {
      await typed(agent(), [shell, 'dd if=/dev/zero bs=1M count=64']);
      const typing = await type(agent(), [shell, 'cat > /dev/null'], { stdin: 'pipe' });
      await pipeline(Readable.from(zeros(64)), typing.stdin!);
      await typing.ended;
    }
  });
  afterAll(() => stack?.stop());

  test.each(shells)(
    'A-59: the output of a $strategy through a reader that stalls',
    { timeout: 240_000 },
    async ({ strategy, shell }) => {
      const growth = await watchGrowth(memory);
      const dd = `dd if=/dev/zero bs=1M count=${sizes[strategy]} 2> /dev/null`;
      const typing = await type(agent(), [shell, dd], { keepStdout: true });
      await sleep(stallMs);
      expect(await countAll(typing)).toBe(sizes[strategy] * mebibyte);
      expect(await typing.ended).toMatchObject({ code: 0, stderr: '' });
      expectSmall(await growth.most());
    },
  );

  test.each(shells)(
    'A-59: stdin for a $strategy that stalls before it reads',
    { timeout: 240_000 },
    async ({ shell }) => {
      const growth = await watchGrowth(memory);
      const script = `sleep ${stallMs / 1000}; wc -c`;
      const typing = await type(agent(), [shell, script], { stdin: 'pipe' });
      await pipeline(Readable.from(zeros(fed)), typing.stdin!);
      const { code, stderr, stdout } = await typing.ended;
      expect([code, stderr, stdout.toString()]).toEqual([0, '', `${fed * mebibyte}\n`]);
      expectSmall(await growth.most());
    },
  );

  test.each(shells)('A-59: Ctrl-C ends a $strategy that reads none of its stdin', async ({ shell }) => {
    const typing = await type(agent(), [shell, 'echo on; exec sleep 300'], { stdin: 'pipe' });
    const feeding = pipeline(Readable.from(zeros(16)), typing.stdin!).catch((error: Error) => error);
    await typing.said('on');
    await sleep(500);
    const began = performance.now();
    await typing.signal('SIGINT');
    expect(await typing.ended).toMatchObject({ code: -1, signal: 'SIGINT' });
    expect(performance.now() - began).toBeLessThan(2000);
    expect(await feeding).toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET|ERR_STREAM/) });
    await untilNoGhosts(sharedLab(), 'staller', 5000);
  });

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

interface Memory {
  readonly relay: number;
  readonly gateway: number;
}

/** The most bytes by which both have grown since the call, checked five times a second. */
async function watchGrowth(memory: () => Promise<Memory>): Promise<{ most: () => Promise<Memory> }> {
  const before = await memory();
  let most: Memory = { relay: 0, gateway: 0 };
  const note = async () => {
    const now = await memory();
    most = {
      relay: Math.max(most.relay, now.relay - before.relay),
      gateway: Math.max(most.gateway, now.gateway - before.gateway),
    };
  };
  const watch = setInterval(() => void note(), 200);
  return {
    most: async () => {
      clearInterval(watch);
      await note();
      return most;
    },
  };
}

function expectSmall({ relay, gateway }: Memory): void {
  expect(relay).toBeLessThan(allowed);
  expect(gateway).toBeLessThan(allowed);
}

function* zeros(count: number): Generator<Buffer> {
  const block = Buffer.alloc(mebibyte);
  for (let index = 0; index < count; index++) yield block;
}

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
