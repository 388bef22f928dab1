import { readlink } from 'node:fs/promises';
import { ghostsOf } from '../e2e/life.ts';
import { processesOf, type Typing } from '../e2e/typed.ts';
import { processesMentioning, signalAll } from '../lab/host-processes.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import type { Stack } from '../stack/start-stack.ts';

/** Every process between the caller of a command and the tool. */
export const parts = [
  'shim',
  'relay',
  'gateway',
  'dockerd',
  'tool',
  'init of a ghost',
  'init of a mirror',
  'docker exec',
] as const;
export type Part = (typeof parts)[number];

export interface Chain {
  readonly lab: Lab;
  readonly stack: Stack;
  readonly agent: string;
  /** Text that only the round's commands have in their arguments. */
  readonly mark: string;
  readonly typings: readonly Pick<Typing, 'signal'>[];
}

/** Kills every process of that kind that exists now; false if there is none. Starts nothing again. */
export async function killPart(part: Part, chain: Chain): Promise<boolean> {
  switch (part) {
    case 'shim':
    case 'docker exec':
      // A process that has ended needs no kill.
      await Promise.all(chain.typings.map((typing) => typing.signal('SIGKILL').catch(() => {})));
      return true;
    case 'relay':
    case 'gateway':
      await chain.stack[part].end('SIGKILL');
      return true;
    case 'dockerd':
      return killEngine(chain);
    case 'tool':
      return killAll(await withProgram(/busybox|\/sh$|\/ash$/, await processesMentioning(chain.mark)));
    case 'init of a ghost':
      return killAll(await withProgram(/init$/, await ghostProcesses(chain)));
    case 'init of a mirror':
      return killAll(await withProgram(/\.init$|clawrden-init$/, await processesOf(agentOf(chain))));
  }
}

/** Starts again what a kill took away and every command needs. */
export async function restore(part: Part, { lab, stack }: Chain): Promise<void> {
  if (part === 'relay') await stack.startRelay();
  if (part === 'gateway') await stack.startGateway();
  if (part !== 'dockerd') return;
  for (const host of lab.hosts) if (!(await runs(host))) await host.restart();
}

/** The engine of the ghost, if it has one by now. */
async function killEngine({ lab, agent }: Chain): Promise<boolean> {
  const filter = ['ps', '-q', '--filter', `label=clawrden.agent=${agent}`];
  for (const host of lab.hosts) {
    if ((await host.docker(filter)).stdout === '') continue;
    await host.kill();
    return true;
  }
  return false;
}

async function ghostProcesses({ lab, agent }: Chain): Promise<number[]> {
  const ghosts = await ghostsOf(lab, agent);
  return (await Promise.all(ghosts.map((id) => processesOf({ id })))).flat();
}

function agentOf({ stack, agent }: Chain) {
  const container = stack.agents[agent];
  if (container === undefined) throw new Error(`there is no agent ${agent}`);
  return container;
}

async function withProgram(program: RegExp, pids: readonly number[]): Promise<number[]> {
  const programs = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/exe`).catch(() => '')));
  return pids.filter((_, index) => program.test(programs[index] ?? ''));
}

function killAll(pids: readonly number[]): boolean {
  signalAll(pids, 'SIGKILL');
  return pids.length > 0;
}

function runs(host: LabHost): Promise<boolean> {
  return host.pid().then(
    () => true,
    () => false,
  );
}
