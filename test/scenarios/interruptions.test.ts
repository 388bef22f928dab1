import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isErrorCode } from '../../src/errors.ts';
import { exitCodes } from '../../src/exit-codes.ts';
import { lifePolicy, listed, shells, untilNoGhosts } from '../e2e/life.ts';
import { replicaFolder } from '../e2e/replica-on.ts';
import { treeDifferences } from '../e2e/tree-differences.ts';
import { processesOf, type Typed, type Typing, type, typed } from '../e2e/typed.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type AgentSpec, type Stack, startStack } from '../stack/start-stack.ts';
import { type Chain, followedParts, killPart, type Part, parts, restore } from './chain.ts';
import { seeded } from './seeded.ts';

const long = process.env.CLAWRDEN_LONG === '1';

interface Site {
  readonly workspace: string;
  readonly agent: string;
  readonly spec: AgentSpec;
  readonly victims: readonly Part[];
  readonly rounds: number;
}
const sites: readonly Site[] = [
  { workspace: 'that all hosts see', agent: 'cut', spec: {}, victims: parts, rounds: long ? 200 : 20 },
  {
    workspace: 'that follows the agent',
    agent: 'cutaway',
    spec: { followed: {} },
    victims: followedParts,
    rounds: long ? 200 : 5,
  },
];

const seed = Number(process.env.CLAWRDEN_SEED ?? Date.now() % 1_000_000);
/**
 * From the kill to the end of every shim; and from there, with everything back, to the end of everything that ran.
 */
const endWithinMs = 15_000;
const goneWithinMs = 15_000;
/** The engine has to be back, and its host to be taken in again. */
const sweptWithinMs = 60_000;
/** A relay whose carrier ended again and again waits longer each time. */
const followsWithinMs = 45_000;
/** A command runs this long by itself: kills come before its start or during it, and rarely after it. */
const steps = 8;
/** Of each file that a command leaves, one in each step. */
const fileSize = 60_000;

describe.skipIf(!hasLab()).each(sites)(
  `interruptions with a workspace $workspace (CLAWRDEN_SEED=${seed})`,
  ({ agent, spec, victims, rounds }) => {
    const dice = seeded(seed);
    const plan = Array.from({ length: rounds }, (_, index) => ({
      round: index + 1,
      // Every part in its turn, so that a short run misses none.
      part: victims[(rounds < victims.length ? index + seed : index) % victims.length]!,
      afterMs: dice.below(700),
    }));
    let stack: Stack;
    let idle = 0;
    let volumes: string[] = [];
    /** Parts whose kill ended a command at least once. */
    const felt = new Set<Part>();

    beforeAll(async () => {
      stack = await startStack(sharedLab(), { name: agent, policy: lifePolicy(), agents: { [agent]: spec } });
      idle = (await processesOf(stack.agents[agent]!)).length;
      for (const { shell } of shells) await typed(stack.agents[agent]!, [shell, ':']);
      volumes = await allVolumes();
    });
    afterAll(() => stack?.stop());

    test.each(plan)(
      '$round: SIGKILL of the $part after $afterMs ms leaves nothing behind, and each file whole',
      { timeout: 120_000 },
      async ({ part, round, afterMs }) => {
        const mark = `round-${seed}-${round}`;
        const typings = await start(part, mark);
        await sleep(afterMs);
        const chain: Chain = { lab: sharedLab(), stack, agent, mark, typings };
        await untilKilled(part, chain);
        const began = performance.now();
        let codes: number[] = [];
        try {
          const ends = await Promise.all(typings.map(({ ended }) => ended));
          expect(performance.now() - began).toBeLessThan(endWithinMs);
          expect(ends.filter((end) => !explained(part, end))).toEqual([]);
          codes = ends.map(({ code }) => code);
          if (codes.some((code) => code !== 0)) felt.add(part);
        } finally {
          await restore(part, chain);
        }
        await untilNothingIsLeft();
        if (part === 'dockerd') await untilHostsAreReady();
        await untilItFollows();
        for (const [index, { shell }] of shells.entries()) await expectWholeFiles(mark, shell, codes[index]);
      },
    );

    test('afterwards a command runs as if nothing had been', async () => {
      for (const { shell } of shells)
        expect(await typed(stack.agents[agent]!, [shell, 'exit 4'])).toMatchObject({ code: 4, stderr: '' });
      // A carrier is started again while the tool runs. A short run may come too late for one part.
      if (rounds >= 5 * victims.length) expect([...felt]).toEqual(expect.arrayContaining([...parts]));
    });

    test.skipIf(spec.followed === undefined)('12: afterwards each replica is what home is', async () => {
      for (const host of sharedLab().hosts) {
        const others = stack.hosts.filter((name) => name !== host.name);
        for (const name of others) await stack.cli(['drain', name]);
        await untilItFollows();
        const replica = await replicaFolder(host, agent);
        expect(await treeDifferences(stack.workspaceOf(agent), replica)).toEqual([]);
        for (const name of others) await stack.cli(['undrain', name]);
      }
    });

    async function start(part: Part, mark: string): Promise<Typing[]> {
      const container = stack.agents[agent]!;
      if (part === 'docker exec')
        return shells.map(({ shell }) => execOf(container.spawn([shell, `: ${mark}; cat`])));
      const script = (shell: string) =>
        [
          `mkdir -p ${mark}/${shell}; cd ${mark}/${shell}; i=0; while [ $i -lt ${steps} ]; do i=$((i+1)); echo $i`,
          `head -c ${fileSize} /dev/zero > part && mv part $i; usleep 100000; done`,
        ].join('; ');
      return Promise.all(shells.map(({ shell }) => type(container, [shell, script(shell)])));
    }

    /** Each is as it was before the command or as the command left it; all are there if it says that it is done. */
    async function expectWholeFiles(mark: string, shell: string, code: number | undefined): Promise<void> {
      const folder = join(stack.workspaceOf(agent), mark, shell);
      const names = (await readdir(folder).catch(() => [])).filter((name) => name !== 'part');
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
      expect(sizes).toEqual(names.map(() => fileSize));
      if (code === 0) expect(names).toHaveLength(steps);
    }

    async function untilItFollows(): Promise<void> {
      if (spec.followed === undefined) return;
      await waitUntil('a command to run again', followsWithinMs, async () => {
        const { code, stderr } = await typed(stack.agents[agent]!, ['ghostly', ':']);
        if (code !== 0) expect(stderr).toMatch(/^clawrden: /);
        return code === 0;
      });
    }

    async function untilNothingIsLeft(): Promise<void> {
      const began = performance.now();
      const leftMs = () => goneWithinMs - (performance.now() - began);
      await untilNoGhosts(sharedLab(), agent, leftMs());
      const alone = async () => (await processesOf(stack.agents[agent]!)).length === idle;
      await waitUntil('what was mirrored to end', leftMs(), alone);
      // A shim that was killed may have been just before its first word: what it asked for began after the first look.
      await untilNoGhosts(sharedLab(), agent, leftMs());
      // What an engine that was killed leaves of a ghost's terminals goes at the next sweep.
      const same = async () => isDeepStrictEqual(await allVolumes(), volumes);
      await waitUntil('the volumes to be what they were', sweptWithinMs, same);
    }

    async function untilHostsAreReady(): Promise<void> {
      const ready = async () => (await listed(stack, 'hosts')).every(({ state }) => state === 'ready');
      await waitUntil('the hosts to be ready', 20_000, ready);
    }
  },
);

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
  const names = lists.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean));
  // A replica stays, and one is made when a host takes its first command.
  return names.filter((name) => !name.startsWith('clawrden-ws-')).sort();
}
