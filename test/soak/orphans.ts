import { readFile } from 'node:fs/promises';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { isListedOnly } from '../lab/listed-only.ts';

/** Checks the hosts' ghosts: those that exist for longer than any command or fault explains. */
export type FindOrphans = () => Promise<string[]>;

interface Seen {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

const orphanAfterMs = 60_000;
/** A hung engine is checked the next time. */
const answerWithinMs = 3_000;
const ticksPerSecond = 100;
const format = '{{.ID}}\t{{.Names}}\t{{.CreatedAt}}';
const ours = ['ps', '--all', '--no-trunc', '--filter', 'label=clawrden.gateway', '--format', format];

/** `gateway`: the pid of the one that runs; ghosts that waited for an older one have no owner. */
export function watchOrphans(lab: Lab, gateway: () => number): FindOrphans {
  const claimedSince = new Map<string, number>();

  return async () => {
    const perHost = await Promise.all(lab.hosts.map(ghostsOn));
    if (perHost.some((ghosts) => ghosts === undefined)) return [];
    const since = await startOf(gateway()).catch(() => 0);
    return perHost.flatMap((ghosts) => ghosts ?? []).flatMap((ghost) => judge(ghost, since));
  };

  function judge(ghost: Seen, gatewaySince: number): string[] {
    const now = Date.now();
    const since = claimedSince.get(ghost.id) ?? now;
    if (isClaimed(ghost)) claimedSince.set(ghost.id, since);
    if (now - since > orphanAfterMs) return [`${ghost.name}: for ${now - since} ms after its command`];
    const forerunners = ghost.createdAt < gatewaySince && now - gatewaySince > orphanAfterMs;
    return forerunners ? [`${ghost.name}: of a gateway that is gone`] : [];
  }
}

/** Milliseconds of the epoch; throws when the process is gone. */
async function startOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const ticks = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[20]);
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  return Date.now() - (uptime - ticks / ticksPerSecond) * 1000;
}

async function ghostsOn(host: LabHost): Promise<Seen[] | undefined> {
  const { code, stdout } = await host.docker(ours, { timeout: answerWithinMs });
  if (code !== 0) return undefined;
  const listed = stdout.split('\n').filter(Boolean).map(parseLine);
  const gone = await Promise.all(listed.map((ghost) => isListedOnly(host, ghost)));
  return listed.filter((_, index) => gone[index] !== true);
}

function parseLine(line: string): Seen {
  const [id = '', name = '', created = ''] = line.split('\t');
  const [day = '', time = '', zone = ''] = created.split(' ');
  return { id, name, createdAt: Date.parse(`${day}T${time}${zone}`) };
}

/** A claim renames a ghost for its execution; a cold ghost has that name from the start. */
function isClaimed({ name }: Seen): boolean {
  return /^clawrden-[0-9a-f]{8}-[0-9a-f]{4}-7/.test(name);
}
