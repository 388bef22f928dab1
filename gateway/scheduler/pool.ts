import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { AgentConfig, GatewayConfig, HostConfig } from '../../src/config/gateway-config.ts';
import { latestOnly } from '../../src/latest-only.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Engine, ImageFacts } from '../ports/engine.ts';
import type { Prepared } from '../ports/prepared.ts';
import type { DockerHost } from './hosts/docker-host.ts';
import { createFleet, type Fleet, type FleetParts } from './hosts/fleet.ts';
import { createImagePulls, type ImageWish } from './hosts/image-pulls.ts';
import { imagesOf, resolveImage } from './hosts/images.ts';
import { createLateExits, type LateExits } from './hosts/late-exits.ts';
import { Scheduler } from './placement/scheduler.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { warmWishes } from './warm/warm-wishes.ts';
import { createWarmer, type Warmer } from './warm/warmer.ts';

/** Everything between a plan that may run and the engine that runs it. */
export interface Pool {
  readonly scheduler: Scheduler;
  readonly warmer: Warmer;
  readonly fleet: Fleet;
  readonly lateExits: LateExits;
  readonly sessions: Sessions;
  readonly resolveImage: (reference: string, labels: AgentConfig['hosts']) => Promise<ImageFacts>;
  /** The same for a command that will run: pulls an image that no host has, see `createImagePulls`. */
  readonly obtainImage: (reference: string, wish: ImageWish) => Promise<ImageFacts>;
  /**
   * The agent's workspace goes away on this host: its ghosts that wait end, and its sessions there with their last command.
   */
  readonly forget: (agent: string, host: string) => void;
  /** The policy has changed: ghosts of the old policy are removed. */
  readonly followPolicy: () => void;
  /** To make hosts and warm ghosts match gateway.yaml. Throws if its hosts cannot be used as they stand there. */
  readonly prepare: (config: Pooled) => Prepared;
  /** The hosts that take work now. */
  readonly ready: () => readonly HostConfig[];
  readonly close: () => Promise<void>;
}

type Pooled = Pick<GatewayConfig, 'hosts' | 'warm' | 'session' | 'agents'>;

export interface PoolParts {
  readonly config: GatewayConfig;
  readonly policy: () => Policy;
  readonly openEngine: (config: HostConfig) => Engine;
  /** Appends to the audit without waiting. */
  readonly record: (entry: AuditRecord) => void;
  readonly drained: ReadonlySet<string>;
  readonly onLost?: FleetParts['onLost'];
  readonly log: Logger;
}

/** The names of those that are gone or not as they were. */
function otherAgents(before: readonly AgentConfig[], now: readonly AgentConfig[]): ReadonlySet<string> {
  const same = (agent: AgentConfig) => now.some((each) => isDeepStrictEqual(each, agent));
  return new Set(before.filter((agent) => !same(agent)).map(({ name }) => name));
}

/** Of agents that are gone at once; of others that are not as they were with their last command. */
function endSessions(sessions: Sessions, others: ReadonlySet<string>, now: readonly AgentConfig[]): void {
  const isThere = (agent: string) => now.some(({ name }) => name === agent);
  sessions.end((agent) => others.has(agent) && !isThere(agent), 'its agent is gone');
  sessions.retire((agent) => others.has(agent), 'its agent has changed');
}

/** The names of hosts that stay, with other labels: they may see other homes now. */
function relabelled(before: readonly HostConfig[], now: readonly HostConfig[]): ReadonlySet<string> {
  const labels = new Map(before.map((host) => [host.name, host.labels]));
  const isOther = (host: HostConfig) => !isDeepStrictEqual(labels.get(host.name), host.labels);
  return new Set(now.filter((host) => labels.has(host.name) && isOther(host)).map(({ name }) => name));
}

/** What was started there before may mount another folder than it would now. */
function giveUpOn(
  names: ReadonlySet<string>,
  hosts: readonly DockerHost[],
  sessions: Sessions,
  agents: readonly AgentConfig[],
): void {
  if (names.size === 0) return;
  const seen = agents.filter(({ workspace }) => Object.keys(workspace?.sync?.seenBy ?? {}).length > 0);
  const concerned = new Set(seen.map(({ name }) => name));
  const isThere = (host: string | undefined) => host === undefined || names.has(host);
  sessions.retire((agent, host) => concerned.has(agent) && isThere(host), 'its host has other labels');
  for (const host of hosts.filter(({ name }) => names.has(name)))
    for (const ghost of host.warm.leave()) void host.release(ghost);
}

const pullWithinMs = 10 * 60_000;
/** Each engine has its own deadline for an answer. */
const untilAnswered = new AbortController().signal;

export function openPool(given: PoolParts): Pool {
  const { config: first, policy, openEngine, record, drained, onLost, log } = given;
  let config: Pooled = first;
  const hosts: DockerHost[] = [];
  const scheduler = new Scheduler(hosts, { ...first.limits, isShared: () => config.agents.length > 1 });
  const warmer = createWarmer(scheduler, first.limits.startTimeoutMs, log);
  const lateExits = createLateExits(record, (host) => hosts.includes(host));
  const { startTimeoutMs } = first.limits;
  const sessions = createSessions({ scheduler, startTimeoutMs, limits: () => config.session, record });
  const resolve = (reference: string, labels: AgentConfig['hosts']) =>
    resolveImage(hosts, reference, labels, untilAnswered);
  const wishAnew = latestOnly(
    async () => warmer.wish(await warmWishes(config, policy(), resolve)),
    (error) => log.error({ error }, 'no ghost is started ahead by what is wished now'),
  );
  const wish = () => wishAnew({});
  const parts = { hosts, scheduler, warmer, lateExits, openEngine, drained, onLost, log };
  const fleet = createFleet({ ...parts, images: () => imagesOf(policy()), onImages: wish });
  fleet.apply(config.hosts);
  return {
    scheduler,
    warmer,
    fleet,
    lateExits,
    sessions,
    resolveImage: resolve,
    obtainImage: createImagePulls(hosts, pullWithinMs),
    forget: (agent, host) => {
      warmer.leave(agent, host);
      // One that is starting may come to be there.
      sessions.retire((each, on = host) => each === agent && on === host, 'its workspace is made anew');
    },
    followPolicy: () => {
      warmer.forget();
      fleet.preload();
      wish();
    },
    prepare: (next) => {
      const prepared = fleet.prepare(next.hosts);
      const apply = () => {
        const others = otherAgents(config.agents, next.agents);
        const moved = relabelled(config.hosts, next.hosts);
        warmer.forget(others);
        endSessions(sessions, others, next.agents);
        config = next;
        prepared.apply();
        giveUpOn(moved, hosts, sessions, next.agents);
        wish();
      };
      return { ...prepared, apply };
    },
    ready: () => hosts.filter(({ state }) => state === 'ready').map((host) => host.config),
    close: async () => {
      warmer.close();
      await sessions.close();
      await fleet.close();
    },
  };
}
