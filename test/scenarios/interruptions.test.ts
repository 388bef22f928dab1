import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isErrorCode } from '../../src/errors.ts';
import { exitCodes } from '../../src/exit-codes.ts';
import { ghostsOf, lifePolicy, listed, shells, untilNoGhosts } from '../e2e/life.ts';
import { processesOf, type Typed, type Typing, type, typed } from '../e2e/typed.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { type Chain, killPart, type Part, parts, restore } from './chain.ts';
import { seeded } from './seeded.ts';

const rounds = process.env.CLAWRDEN_LONG === '1' ? 200 : 20;
const seed = Number(process.env.CLAWRDEN_SEED ?? Date.now() % 1_000_000);
/**
 * From the kill to the end of every shim; and from there, with everything back, to the end of everything that ran.
 */
const endWithinMs = 15_000;
const goneWithinMs = 15_000;
/** A command runs this long by itself: kills come before its start or during it, and rarely after it. */
const steps = 15;

describe.skipIf(!hasLab())(`interruptions at random moments (CLAWRDEN_SEED=${seed})`, () => {
  const dice = seeded(seed);
  const plan = Array.from({ length: rounds }, (_, index) => ({
    round: index + 1,
    // Every part in its turn, so that a short run misses none.
    part: parts[index % parts.length]!,
    afterMs: dice.below(1200),
  }));
  let stack: Stack;
  let idle = 0;
  let volumes: string[] = [];
  /** Parts whose kill ended a command at least once. */
  const felt = new Set<Part>();

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'cut', policy: lifePolicy(), agents: { cut: {} } });
    idle = (await processesOf(stack.agents.cut!)).length;
    for (const { shell } of shells) await typed(stack.agents.cut!, [shell, ':']);
    volumes = await allVolumes();
  });
  afterAll(() => stack?.stop());

  test.each(plan)(
    '$round: SIGKILL of the $part after $afterMs ms leaves nothing behind',
    async ({ part, round, afterMs }) => {
      const mark = `round-${seed}-${round}`;
      const typings = await start(part, mark);
      await sleep(afterMs);
      const chain: Chain = { lab: sharedLab(), stack, agent: 'cut', mark, typings };
      await untilKilled(part, chain);
      const began = performance.now();
      try {
        const ends = await Promise.all(typings.map(({ ended }) => ended));
        expect(performance.now() - began).toBeLessThan(endWithinMs);
        expect(ends.filter((end) => !explained(part, end))).toEqual([]);
        if (ends.some(({ code }) => code !== 0)) felt.add(part);
      } finally {
        await restore(part, chain);
      }
      await untilNothingIsLeft();
      if (part === 'dockerd') await untilHostsAreReady();
    },
  );

  test('afterwards a command runs as if nothing had been', async () => {
    for (const { shell } of shells)
      expect(await typed(stack.agents.cut!, [shell, 'exit 4'])).toMatchObject({ code: 4, stderr: '' });
    expect([...felt].sort()).toEqual([...parts].sort());
  });

  async function start(part: Part, mark: string): Promise<Typing[]> {
    const agent = stack.agents.cut!;
    if (part === 'docker exec')
      return shells.map(({ shell }) => execOf(agent.spawn([shell, `: ${mark}; cat`])));
    const script = `: ${mark}; i=0; while [ $i -lt ${steps} ]; do i=$((i+1)); echo $i; usleep 100000; done`;
    return Promise.all(shells.map(({ shell }) => type(agent, [shell, script])));
  }

  async function untilNothingIsLeft(): Promise<void> {
    const began = performance.now();
    await untilNoGhosts(sharedLab(), 'cut', goneWithinMs);
    const alone = async () => (await processesOf(stack.agents.cut!)).length === idle;
    await waitUntil('what was mirrored to end', goneWithinMs - (performance.now() - began), alone);
    expect(await ghostsOf(sharedLab(), 'cut')).toEqual([]);
    expect(await allVolumes()).toEqual(volumes);
  }

  async function untilHostsAreReady(): Promise<void> {
    const ready = async () => (await listed(stack, 'hosts')).every(({ state }) => state === 'ready');
    await waitUntil('the hosts to be ready', 20_000, ready);
  }
});

/** If there is nothing to kill at that moment, the kill comes as soon as there is; never after the command's end. */
async function untilKilled(part: Part, chain: Chain): Promise<void> {
  for (const deadline = performance.now() + 5000; !(await killPart(part, chain)); await sleep(10)) {
    if (performance.now() > deadline) throw new Error(`there is no ${part} to kill`);
  }
}

/** The Docker client in the role of a terminal's shell: if it is killed, the command's stdin goes with it. */
function execOf(child: ReturnType<Stack['agents'][string]['spawn']>): Typing {
  const stderr: Buffer[] = [];
  child.stdin.on('error', () => {});
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: (code as number | null) ?? -1,
    signal: (signal as NodeJS.Signals | null) ?? ('' as const),
    stdout: Buffer.alloc(0),
    stderr: Buffer.concat(stderr).toString(),
    errors: Buffer.concat(stderr),
    ms: 0,
  }));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    said: () => Promise.reject(new Error('nobody listens')),
    pid: () => Promise.resolve(child.pid ?? 0),
    signal: (signal) => Promise.resolve(void child.kill(signal)),
    ended,
  };
}

/** Its own end, the signal that was sent to it, or a documented code with its one line. */
function explained(part: Part, { code, signal, stderr }: Typed): boolean {
  if (signal !== '') return signal === 'SIGKILL' && ['shim', 'tool', 'docker exec'].includes(part);
  if (code === 0) return stderr === '';
  const reason = /^clawrden: ([a-z0-9-]+): .*\n$/.exec(stderr)?.[1] ?? '';
  return isErrorCode(reason) && exitCodes[reason] === code && reason !== 'internal';
}

async function allVolumes(): Promise<string[]> {
  const { hosts, agentHost } = sharedLab();
  const lists = await Promise.all([...hosts, agentHost].map((host) => host.docker(['volume', 'ls', '-q'])));
  return lists.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean)).sort();
}
