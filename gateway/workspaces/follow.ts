import type { HostConfig, SyncConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import type { Ghost, GhostShape } from '../ports/engine.ts';
import { behindMs } from './behind.ts';
import { OtherFolder, ReplicaUnreachable } from './faults.ts';
import { followingOf, homeNow, homeOf, keyOf } from './home-of.ts';
import type { Slot } from './slot.ts';
import { otherHome, type Visit, type VisitParts, visitOf } from './visit.ts';

type Place = Pick<HostConfig, 'name' | 'labels'>;

/** Where the workspaces of agents are on Docker hosts. */
export interface Workspaces {
  /** How the agent's workspace is followed now: a command keeps what it was when it looked for a place. */
  readonly following: (agent: string) => string | undefined;
  /**
   * The same shape with the folders that are on that host; starts the replica's carrier if it must. Throws
   * `workspace-unreachable` if the workspace is followed otherwise now than the shape says.
   */
  readonly placed: (host: string, shape: GhostShape, signal: AbortSignal) => GhostShape | Promise<GhostShape>;
  /** A container starts there for a command: until this is disposed of, the agent's workspace there is not removed. */
  readonly hold: (host: Place, agent: string) => Disposable;
  /**
   * `undefined` if the host sees the agent's home by itself, or if the agent has no workspace. `ghost`: what the command is
   * in. Throws `workspace-missing` if that mounts something else than the host has for the workspace now.
   */
  readonly visit: (
    host: Place,
    agent: string,
    execution: string,
    ghost?: Pick<Ghost, 'inReplica'>,
  ) => Visit | undefined;
  /**
   * Through it a command goes from before it has a place on a host until its workspace is there; `undefined` if no
   * replica follows the agent's workspace.
   */
  readonly gate: (agent: string) => Gate | undefined;
  /** How long it may take until the agent's workspace is on the host as it is at home, in milliseconds: an estimate. */
  readonly behindMs: (host: Place, agent: string) => number;
  /** The agent's workspace would follow to it, and does not for a while. */
  readonly isLeftOut: (host: Place, agent: string) => boolean;
}

export interface FollowParts extends VisitParts {
  readonly hosts: () => ReadonlyMap<string, HostConfig>;
}

/** Commands of one agent that settle at once; exchanges of one home are one after the other all the same. */
const settlingMost = 2;

/** Every other host is nearer than one that is left out. */
export const leftOutMs = 600_000;

export function followWorkspaces(parts: FollowParts): Workspaces {
  const gates = new Map<string, Gate>();
  const syncOn = (host: Pick<Place, 'labels'> | undefined, agent: string): SyncConfig | undefined => {
    const sync = parts.agents().get(agent)?.workspace?.sync;
    return sync === undefined || seesHome(host, sync) ? undefined : sync;
  };
  const isLeftOut = (host: Place, agent: string): boolean =>
    syncOn(host, agent) !== undefined && parts.turns.leftOut.why({ agent, host: host.name }) !== undefined;
  const slotOn = (host: Place, agent: string): Slot | undefined => {
    const home = syncOn(host, agent) && homeNow(parts.agents(), agent);
    return home === undefined ? undefined : parts.replicas.slot(host.name, { agent, home });
  };
  const following = (agent: string) => followingOf(parts.agents().get(agent));
  const holdTo = (shape: Pick<GhostShape, 'agent' | 'following'>): void => {
    if (shape.following !== following(shape.agent)) throw otherHome(shape.agent);
  };
  return {
    ...{ isLeftOut, following },
    placed: (host, shape, signal) => {
      if (shape.mounts.length === 0) return shape;
      holdTo(shape);
      const sync = syncOn(parts.hosts().get(host), shape.agent);
      return sync === undefined ? shape : inReplicaOn(host, shape, sync, parts, signal);
    },
    hold: (host, agent) => {
      const slot = slotOn(host, agent);
      if (slot !== undefined) slot.commands += 1;
      return { [Symbol.dispose]: () => void (slot && (slot.commands -= 1)) };
    },
    visit: (host, agent, execution, ghost) => {
      const slot = slotOn(host, agent);
      if (ghost !== undefined && ghost.inReplica !== slot?.volume) throw new OtherFolder(agent, host.name);
      return slot && visitOf(parts, { agent, host: host.name, execution }, slot, ghost?.inReplica);
    },
    gate: (agent) => {
      if (parts.agents().get(agent)?.workspace?.sync === undefined) return undefined;
      const gate = gates.get(agent) ?? new Gate(() => settlingMost);
      gates.set(agent, gate);
      return gate;
    },
    behindMs: (host, agent) => {
      if (syncOn(host, agent) === undefined) return 0;
      if (isLeftOut(host, agent)) return leftOutMs;
      const { replicas } = parts;
      const of = { agent, home: homeNow(parts.agents(), agent) ?? '' };
      return behindMs(replicas.known(host.name, of), replicas.homes.get(keyOf(of)));
    },
  };
}

async function inReplicaOn(
  host: string,
  shape: GhostShape,
  { carried }: SyncConfig,
  { agents, replicas, turns }: FollowParts,
  signal: AbortSignal,
): Promise<GhostShape> {
  const { agent, mounts: planned } = shape;
  const home = homeNow(agents(), agent) ?? '';
  // A plan says which home its tool has, and may have waited for a person since.
  if (planned.some((mount) => homeOf(agents().get(agent)?.relay ?? '', mount) !== home))
    throw otherHome(agent);
  const slot = replicas.slot(host, { agent, home });
  const out = turns.leftOut.why(slot);
  if (out !== undefined) throw new ReplicaUnreachable(out);
  slot.usedAt = performance.now();
  const { folder } = await replicas
    .open(slot, carried, signal)
    .catch((error: unknown) => Promise.reject(stillOpening(turns.leftOut.blamed(slot, error), host)));
  const mounts = planned.map((mount) => ({ ...mount, kind: 'bind' as const, source: folder }));
  return { ...shape, mounts, inReplica: slot.volume };
}

/** A start does not wait for a look at all of a large replica; that goes on, and another host may have it already. */
function stillOpening(error: unknown, host: string): unknown {
  if (!(error instanceof ClawrdenError && error.code === 'start-timeout')) return error;
  const text = `the replica of the workspace on ${host} is still being looked at: try again later`;
  return new ReplicaUnreachable(text, { cause: error });
}

function seesHome(host: Pick<Place, 'labels'> | undefined, { seenBy }: SyncConfig): boolean {
  const wanted = Object.entries(seenBy);
  return wanted.length > 0 && wanted.every(([key, value]) => host?.labels[key] === value);
}
