import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContainer } from '../lab/agent-container.ts';
import { run } from '../lab/command.ts';
import type { Lab } from '../lab/lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { type Timing, timerArgs, timings } from './timer.ts';

export const benchImage = 'clawrden-lab/busybox:latest';

/** A gateway, a relay and an agent, with the timer in the agent's container. */
export interface BenchStack {
  readonly lab: Lab;
  readonly stack: Stack;
  readonly agent: AgentContainer;
  /** Milliseconds of each run of a command in the agent's container; `socket` is the socket of another relay. */
  readonly timeInAgent: (timing: Timing, socket?: string) => Promise<number[]>;
  /** The same in the container of the agent `neighbour`. */
  readonly timeInOther: (timing: Timing) => Promise<number[]>;
  /** Milliseconds of each of `count` commands that start at once. */
  readonly timeAtOnce: (count: number, argv: readonly string[]) => Promise<number[]>;
  /** Milliseconds of each run on the machine itself. */
  readonly timeHere: (timing: Timing) => Promise<number[]>;
  /** Resolves when so many ghosts wait on the first host, after a short pause. */
  readonly untilWarm: (count: number) => Promise<void>;
}

export interface StackWish {
  /** Most waiting ghosts of the tool `test` on each host. */
  readonly warm: number;
  readonly env?: NodeJS.ProcessEnv;
  /** There is a second agent, `neighbour`. */
  readonly neighbour?: boolean;
  /** No host sees the workspace of `coder`; there is a second agent, `neighbour`, whose workspace all see. */
  readonly followed?: boolean;
  /** In place of `policy.yaml`. */
  readonly policy?: string;
}

export async function startBenchStack(
  lab: Lab,
  timer: string,
  { warm, env, followed, neighbour: second, policy: own }: StackWish,
): Promise<BenchStack> {
  const policy = own ?? (await readFile(join(import.meta.dirname, 'policy.yaml'), 'utf8'));
  const limits = { 'executions-per-agent': 200 };
  const gateway = { limits, ...(warm > 0 && { warm: pools(warm, followed) }) };
  const stack = await startStack(lab, {
    name: 'bench',
    policy,
    gateway,
    host: { warm },
    ...(env && { env }),
    ...((second || followed) && { agents: { coder: followed ? { followed: {} } : {}, neighbour: {} } }),
  });
  const { coder: agent, neighbour = agent } = stack.agents;
  if (agent === undefined || neighbour === undefined) throw new Error('the stack has no agent');
  for (const name of Object.keys(stack.agents))
    await copyFile(timer, join(stack.workspaceOf(name), '.timer'));
  const inAgent = async (argv: readonly string[]) => timings(await typed(agent, argv));
  return {
    lab,
    stack,
    agent,
    timeInAgent: (timing, socket) => {
      const other = socket === undefined ? [] : ['env', `CLAWRDEN_SOCKET=${socket}`];
      return inAgent([...other, '/app/.timer', ...timerArgs(timing)]);
    },
    timeInOther: async (timing) => timings(await typed(neighbour, ['/app/.timer', ...timerArgs(timing)])),
    timeAtOnce: (count, argv) => {
      const one = ['/app/.timer', ...timerArgs({ count: 1, argv })].join(' ');
      return inAgent(['sh', '-c', `for i in $(seq ${count}); do ${one} & done; wait`]);
    },
    timeHere: async (timing) => timings(await run([timer, ...timerArgs(timing)], { timeout: 300_000 })),
    untilWarm: (count) => untilWarm(lab, count),
  };
}

function pools(size: number, followed = false): unknown[] {
  const agents = followed ? ['coder', 'neighbour'] : ['coder'];
  const each = followed ? Math.floor(size / 2) : size;
  return agents.map((agent) => ({ agent, tool: 'test', size: each }));
}

async function typed(agent: AgentContainer, argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await agent.exec(argv, { timeout: 300_000 });
  if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}: ${stderr}`);
  return stdout;
}

const quietMs = 1_500;

async function untilWarm(lab: Lab, count: number): Promise<void> {
  const waiting = ['ps', '--quiet', '--filter', 'label=clawrden.pool'];
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(250)) {
    const found = await Promise.all(lab.hosts.map((host) => host.docker(waiting)));
    const ids = found.flatMap(({ stdout }) => stdout.split('\n').filter((id) => id !== ''));
    if (ids.length < count) continue;
    await sleep(quietMs);
    return;
  }
  throw new Error(`no ${count} ghosts were started ahead within a minute`);
}
