import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { workspaceLabel } from '../../gateway/docker/replica/replica-volumes.ts';
import { ghostsAt, ghostsOf } from '../e2e/life.ts';
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
/** With those that carry a workspace. */
export const followedParts = [...parts, 'carrier at home', 'carrier of a replica'] as const;
export type Part = (typeof followedParts)[number];

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
    case 'carrier at home':
      return killAll(await withProgram(/carrier$/, await childrenOf(chain.stack.relay.pid)));
    case 'carrier of a replica':
      return killAll(await carrierProcesses(chain));
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
  for (const host of lab.hosts) {
    if ((await ghostsAt(host, agent)).length === 0) continue;
    await host.kill();
    return true;
  }
  return false;
}

async function ghostProcesses({ lab, agent }: Chain): Promise<number[]> {
  const ghosts = await ghostsOf(lab, agent);
  return (await Promise.all(ghosts.map((id) => processesOf({ id })))).flat();
}

async function carrierProcesses({ lab, agent }: Chain): Promise<number[]> {
  const filter = ['ps', '-q', '--no-trunc', '--filter', `label=${workspaceLabel}=${agent}`];
  const perHost = await Promise.all(lab.hosts.map((host) => host.docker(filter)));
  const ids = perHost.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean));
  return (await Promise.all(ids.map((id) => processesOf({ id })))).flat();
}

/** A thread's children are listed with the thread. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = join('/proc', String(pid), 'task');
  const names = await readdir(threads).catch(() => []);
  const texts = names.map((name) => readFile(join(threads, name, 'children'), 'utf8').catch(() => ''));
  return (await Promise.all(texts)).flatMap((text) => text.split(' ').filter(Boolean).map(Number));
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
