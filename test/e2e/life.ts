import { workspaceLabel } from '../../gateway/docker/replica/replica-volumes.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { isListedOnly } from '../lab/listed-only.ts';
import { waitUntil } from '../lab/wait.ts';
import type { AuditLine, Stack } from '../stack/start-stack.ts';

/** The same shell in both strategies: `ghostly` in a ghost, `mirrored` in the agent's own container. */
export const shells = [
  { strategy: 'ghost', shell: 'ghostly' },
  { strategy: 'mirror', shell: 'mirrored' },
] as const;

/**
 * A person is asked about scripts that begin with `: ask`; scripts with `: no` are denied; all others run. The output
 * of `: kept` is recorded. `: brief` and `: ask brief` may run for a second.
 */
export function lifePolicy(more: { tools?: string; expires?: string } = {}): string {
  return `version: 1
default: deny
workspace: /app
timeout: 2m
approval: { expires: ${more.expires ?? '5m'} }
environment: { allow: [LANG, CI] }
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m, cpus: 2 }
  mirrored: { strategy: mirror }
  tail: { strategy: ghost, image: "clawrden-lab/busybox:latest", timeout: 1s }
  usleep: { strategy: mirror, timeout: 1s }
  no-such-tool: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  no-such-thing: { strategy: mirror }
${more.tools ?? ''}
rules:
  - { name: asked, tools: [ghostly, mirrored], args: [": ask*"], action: ask, reason: "somebody should look" }
  - { name: never, tools: [ghostly, mirrored], args: [": no*"], action: deny, reason: "not here" }
  - { name: kept, tools: [ghostly, mirrored], args: [": kept*"], action: allow, record: head-tail }
  - { name: brief, tools: [ghostly, mirrored], args: [": brief*"], action: allow, timeout: 1s }
  - { name: brief-asked, tools: [ghostly, mirrored], args: [": ask brief*"], action: ask, timeout: 1s }
  - { name: rest, action: allow }
complete: true
`;
}

interface Listed {
  readonly id: string;
  readonly agent: string;
  readonly executionId: string;
  readonly state: string;
  readonly host: string;
  readonly outcome: string;
  readonly reason: string;
}

/** The JSON of a list of the command line. */
export async function listed(stack: Stack, list: 'pending' | 'ps' | 'history' | 'hosts'): Promise<Listed[]> {
  const { stdout, stderr } = await stack.cli([list, '--json']);
  if (stdout === '') throw new Error(`clawrden ${list}: ${stderr}`);
  return JSON.parse(stdout) as Listed[];
}

/** Waits for the only open question and returns its approval's id. */
export async function untilAsked(stack: Stack): Promise<string> {
  let found = '';
  await waitUntil('a question', 20_000, async () => {
    found = (await listed(stack, 'pending'))[0]?.id ?? '';
    return found !== '';
  });
  return found;
}

/** Waits until the audit holds `count` records of a type that `fits`. */
export async function untilAudited(
  stack: Stack,
  type: string,
  fits: (line: AuditLine) => boolean = () => true,
  { count = 1, withinMs = 20_000 } = {},
): Promise<AuditLine[]> {
  let lines: AuditLine[] = [];
  await waitUntil(`${count} ${type} in the audit`, withinMs, async () => {
    lines = (await stack.audit()).filter((line) => line.type === type && fits(line));
    return lines.length >= count;
  });
  return lines;
}

/** Ids of the agent's ghosts on all hosts, in any state. */
export async function ghostsOf(lab: Lab, agent: string): Promise<string[]> {
  return (await Promise.all(lab.hosts.map((host) => ghostsAt(host, agent)))).flat();
}

/** Those on one host. What carries the agent's replica there has its label, too, and is no ghost. */
export async function ghostsAt(host: LabHost, agent: string): Promise<string[]> {
  const format = `{{.ID}}\t{{.Names}}\t{{.Label "${workspaceLabel}"}}`;
  const filter = ['--filter', `label=clawrden.agent=${agent}`, '--format', format];
  const { stdout } = await host.docker(['ps', '-a', '--no-trunc', ...filter]);
  const ghosts = stdout.split('\n').filter(Boolean).map(parseGhost);
  const own = ghosts.filter(({ carries }) => carries === '');
  const gone = await Promise.all(own.map((ghost) => isListedOnly(host, ghost)));
  return own.filter((_, index) => gone[index] !== true).map(({ id }) => id);
}

function parseGhost(line: string) {
  const [id = '', name = '', carries = ''] = line.split('\t');
  return { id, name, carries };
}

/** Milliseconds until no ghost of the agent is left anywhere. */
export async function untilNoGhosts(lab: Lab, agent: string, withinMs: number): Promise<number> {
  const began = performance.now();
  await waitUntil(
    `the ghosts of ${agent} to go`,
    withinMs,
    async () => (await ghostsOf(lab, agent)).length === 0,
  );
  return performance.now() - began;
}
