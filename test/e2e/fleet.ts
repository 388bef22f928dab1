import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { answers } from '../lab/engine.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { waitUntil } from '../lab/wait.ts';
import type { AuditLine, Stack } from '../stack/start-stack.ts';
import { type Typed, typed } from './typed.ts';

/** Small, idle ghosts: many fit on one machine. */
export const fleetPolicy = `version: 1
default: deny
workspace: /app
timeout: 2m
tools:
  sh: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 32m, cpus: 0.2, stdin: none }
  usleep: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 32m, cpus: 0.2, stdin: none }
  "true": { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 32m, cpus: 0.2, stdin: none }
  cat: { strategy: ghost, image: "clawrden-lab/some-hosts:1", memory: 32m, cpus: 0.2, stdin: none }
rules:
  - { name: script, tools: [sh], args: [/app/do, "*"], action: allow }
  - { name: rest, tools: [usleep, "true", cat], action: allow }
complete: true
`;

export interface HostState {
  readonly name: string;
  readonly state: string;
  readonly running: number;
  readonly queued: number;
  readonly warm: number;
  readonly problem: string;
}

/** Whether the long tests must run. */
export const long = process.env.CLAWRDEN_LONG === '1';

export async function hostStates(stack: Stack): Promise<Record<string, HostState>> {
  const { stdout, stderr } = await stack.cli(['hosts', '--json']);
  if (stdout === '') throw new Error(`clawrden hosts: ${stderr}`);
  return Object.fromEntries((JSON.parse(stdout) as HostState[]).map((host) => [host.name, host]));
}

export async function untilHost(
  stack: Stack,
  name: string,
  fits: (host: HostState | undefined) => boolean,
  withinMs = 30_000,
): Promise<void> {
  await waitUntil(`${name} to be as it should`, withinMs, async () => fits((await hostStates(stack))[name]));
}

/** Changes gateway.yaml under the running gateway. */
export async function editConfig(
  stack: Stack,
  change: (config: { hosts: Record<string, unknown>[]; [key: string]: unknown }) => void,
): Promise<void> {
  const file = join(stack.dir, 'warden/gateway.yaml');
  const config = parse(await readFile(file, 'utf8')) as Parameters<typeof change>[0];
  change(config);
  await writeFile(file, stringify(config, { aliasDuplicateObjects: false }));
}

/** Counts its starts in the workspace: each line is one start. */
export function counting(canary: string, then: string): string[] {
  return ['sh', '/app/do', `echo start >> /app/${canary}; ${then}`];
}

/** Prepares an agent's workspace for `counting`. */
export async function layScript(stack: Stack, agent: string): Promise<void> {
  await writeFile(join(stack.workspaceOf(agent), 'do'), 'eval "$1"\n');
}

export async function startsIn(stack: Stack, agent: string, canary: string): Promise<number> {
  const text = await readFile(join(stack.workspaceOf(agent), canary), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).length;
}

export async function inAgent(stack: Stack, agent: string, argv: readonly string[]): Promise<Typed> {
  const container = stack.agents[agent];
  if (container === undefined) throw new Error(`no agent ${agent}`);
  return typed(container, argv);
}

/** The `count` starts after `from` records: they are recorded after the commands. Fails if there are more. */
export async function startsSince(stack: Stack, from: number, count: number): Promise<AuditLine[]> {
  let starts: AuditLine[] = [];
  await waitUntil(`${count} starts in the audit`, 5000, async () => {
    starts = (await stack.audit()).slice(from).filter(({ type }) => type === 'start');
    return starts.length >= count;
  });
  if (starts.length > count) throw new Error(`${starts.length} starts in the audit, and not ${count}`);
  return starts;
}

/** This gateway's containers on a host in any state, with their labels. */
export async function containersOn(
  host: LabHost,
): Promise<{ id: string; name: string; pool: string; state: string }[]> {
  const format = '{{.ID}}\t{{.Names}}\t{{.Label "clawrden.pool"}}\t{{.State}}';
  const { stdout } = await host.docker([
    'ps',
    '-a',
    '--no-trunc',
    '--filter',
    'label=clawrden.gateway',
    '--format',
    format,
  ]);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [id = '', name = '', pool = '', state = ''] = line.split('\t');
      return { id, name, pool, state };
    });
}

/** Undoes the remaining fault of a failed test, so that the next tests do not suffer. */
export async function mend(host: LabHost): Promise<void> {
  await host.heal();
  await host.thaw();
  if (await answers(host.socket)) return;
  await host.powerOff();
  await host.powerOn();
}

/** Waits until no ghost is left on any host except those that wait. Carriers of replicas are no ghosts. */
export async function untilNoOrphans(lab: Lab, stack: Stack, withinMs = 60_000): Promise<void> {
  await waitUntil('every ghost that nobody knows to be gone', withinMs, async () => {
    const states = await hostStates(stack);
    const ghosts = await Promise.all(
      lab.hosts.map(async (host) =>
        (await containersOn(host)).filter(({ name }) => !name.startsWith('clawrden-ws-')),
      ),
    );
    return lab.hosts.every(({ name }, index) => ghosts[index]?.length === (states[name]?.warm ?? 0));
  });
}
