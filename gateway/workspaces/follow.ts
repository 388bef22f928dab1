import { abortable, deadline } from '../../src/abort.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import { bringHome, sameVersion, sendOut, setAside, settleBoth } from '../../src/carrier-client/exchange.ts';
import type { Refused } from '../../src/carrier-client/exchange-frames.ts';
import type { AgentConfig, HostConfig, SyncConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import type { GhostShape } from '../ports/engine.ts';
import type { Replica } from '../ports/replica.ts';
import { behindMs } from './behind.ts';
import { isRefusal, toWorkspaceError } from './faults.ts';
import type { UseHome } from './homes.ts';
import type { Replicas } from './replicas.ts';
import { Stay } from './stay.ts';

/** Changes that an exchange did not apply; they are kept beside home. */
export interface NotApplied {
  readonly agent: string;
  readonly host: string;
  /** The command that found them. */
  readonly execution: string;
  /** `late`: no command waited for them any more. */
  readonly why: 'conflict' | 'late';
  readonly count: number;
  /** Up to a thousand of them. */
  readonly files: readonly Refused[];
}

/** Changes, of any command that works in the same replica, that home did not take. */
export type NotTaken = Pick<NotApplied, 'agent' | 'count'>;

/** One command's use of a workspace on a host that does not see its home. */
export interface Visit {
  /** Everything that was at home before this was called is on the host. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** Everything that is on the host now is at home, but for what is returned: since `settle`, in any exchange. */
  readonly bringHome: (signal: AbortSignal) => Promise<NotTaken | undefined>;
  /** Both: while the command runs. */
  readonly exchange: (signal: AbortSignal) => Promise<void>;
  /** The command has ended. Once. */
  readonly end: () => void;
}

type Place = Pick<HostConfig, 'name' | 'labels'>;

/** Where the workspaces of agents are on Docker hosts. */
export interface Workspaces {
  /** The same shape with the folders that are on that host; starts the replica's carrier if it must. */
  readonly placed: (host: string, shape: GhostShape, signal: AbortSignal) => Promise<GhostShape>;
  /** `undefined` if the host sees the agent's home by itself, or if the agent has no workspace. */
  readonly visit: (host: Place, agent: string, execution: string) => Visit | undefined;
  /**
   * Through it a command goes from before it has a place on a host until its workspace is there; `undefined` if no
   * replica follows the agent's workspace.
   */
  readonly gate: (agent: string) => Gate | undefined;
  /** How long it may take until the agent's workspace is on the host as it is at home, in milliseconds: an estimate. */
  readonly behindMs: (host: Place, agent: string) => number;
}

export interface FollowParts {
  readonly replicas: Replicas;
  readonly useHome: UseHome;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly hosts: () => ReadonlyMap<string, HostConfig>;
  readonly onNotApplied: (found: NotApplied) => void;
}

/** Commands of one agent that settle at once; exchanges of one home are one after the other all the same. */
const settlingMost = 2;
/** An exchange may move gigabytes; a carrier that is silent for 120 s ends it before. */
const exchangeWithinMs = 30 * 60_000;

export function followWorkspaces(parts: FollowParts): Workspaces {
  const gates = new Map<string, Gate>();
  const syncOn = (host: Pick<Place, 'labels'> | undefined, agent: string): SyncConfig | undefined => {
    const sync = parts.agents().get(agent)?.workspace?.sync;
    return sync === undefined || seesHome(host, sync) ? undefined : sync;
  };
  return {
    placed: async (host, shape, signal) => {
      const sync = syncOn(parts.hosts().get(host), shape.agent);
      if (sync === undefined || shape.mounts.length === 0) return shape;
      const { folder } = await openOn(parts, host, shape.agent, sync, signal);
      const mounts = shape.mounts.map((mount) => ({ ...mount, kind: 'bind' as const, source: folder }));
      return { ...shape, mounts };
    },
    visit: (host, agent, execution) => {
      const sync = syncOn(host, agent);
      return sync && visitOf(parts, { agent, host: host.name, execution }, sync);
    },
    gate: (agent) => {
      if (parts.agents().get(agent)?.workspace?.sync === undefined) return undefined;
      const gate = gates.get(agent) ?? new Gate(() => settlingMost);
      gates.set(agent, gate);
      return gate;
    },
    behindMs: (host, agent) => {
      if (syncOn(host, agent) === undefined) return 0;
      const { replicas } = parts;
      return behindMs(replicas.known(host.name, agent), replicas.homes.get(agent));
    },
  };
}

function seesHome(host: Pick<Place, 'labels'> | undefined, { seenBy }: SyncConfig): boolean {
  const wanted = Object.entries(seenBy);
  return wanted.length > 0 && wanted.every(([key, value]) => host?.labels[key] === value);
}

async function openOn(
  { replicas }: FollowParts,
  host: string,
  agent: string,
  { carried }: SyncConfig,
  signal: AbortSignal,
): Promise<Replica> {
  return replicas.open(replicas.slot(host, agent), carried, signal);
}

type Visitor = Pick<NotApplied, 'agent' | 'host' | 'execution'>;

function visitOf(parts: FollowParts, of: Visitor, sync: SyncConfig): Visit {
  const { host, agent } = of;
  const slot = parts.replicas.slot(host, agent);
  const stay = new Stay(slot);
  const exchanged = async <T>(
    signal: AbortSignal,
    work: (home: CarrierSession, replica: Replica) => Promise<T>,
  ): Promise<T> => {
    const late = () => new ClawrdenError('workspace-unreachable', `an exchange with ${host} took too long`);
    const stopped = AbortSignal.any([signal, parts.replicas.lossOf(host)]);
    using until = deadline(exchangeWithinMs, late, stopped);
    const both = async (home: CarrierSession) => {
      const replica = await openOn(parts, host, agent, sync, until.signal);
      try {
        return await abortable(work(home, replica), until.signal);
      } catch (error) {
        // What was cut may still be on its way; only what a carrier refused is over.
        if (!isRefusal(error)) parts.replicas.drop(slot);
        throw error;
      }
    };
    return await parts
      .useHome(agent, both, until.signal)
      .catch((error: unknown) => Promise.reject(toWorkspaceError(error, host)));
  };
  /** What an exchange left undone is told once, and to each command that works there. */
  const taken = (brought: Brought): void => {
    if (brought === undefined) return;
    const { at: version, bytes } = brought.state;
    parts.replicas.met(slot, { version, bytes });
    const files = brought.exchanged.applied.refused.filter(({ why }) => why !== 'unstable');
    if (files.length === 0) return;
    slot.notTaken += files.length;
    parts.onNotApplied({ ...of, why: 'conflict', count: files.length, files });
  };
  return {
    settle: (signal) => {
      stay.wait();
      return exchanged(signal, async (home, replica) => {
        const { here, late } = await settle(home, replica, stay.work(), sync, taken);
        stay.begin();
        parts.replicas.met(slot, here);
        if (late !== undefined) parts.onNotApplied({ ...of, why: 'late', ...late });
      });
    },
    bringHome: (signal) =>
      exchanged(signal, async (home, replica) => {
        taken(await bringHome(home, replica.session, { conflicts: sync.carried.conflicts }));
        return stay.notTaken === 0 ? undefined : { agent, count: stay.notTaken };
      }),
    exchange: (signal) =>
      exchanged(signal, async (home, replica) => {
        const { here } = await settle(home, replica, false, sync, taken);
        parts.replicas.met(slot, here);
      }),
    end: () => stay.end(),
  };
}

type Brought = Awaited<ReturnType<typeof bringHome>>;
type Late = Pick<NotApplied, 'count' | 'files'>;

interface Settled {
  readonly here: CarrierState;
  /** What was found there that no command waits for. */
  readonly late?: Late;
}

/** Brings the replica to where home is; `taken` hears of what other commands had changed there. */
async function settle(
  home: CarrierSession,
  { session }: Replica,
  isAlone: boolean,
  { carried: { conflicts } }: SyncConfig,
  taken: (brought: Brought) => void,
): Promise<Settled> {
  const [here, there] = await settleBoth(home, session);
  if (there.dirty === 0 && sameVersion(here.version, there.at)) return { here };
  const isNew = there.at.epoch === 0n && there.entries <= 1;
  const isDirty = there.dirty > 0 && !isNew;
  if (isDirty && isAlone) return { here, ...(await keepLate(home, session)) };
  if (isDirty) taken(await bringHome(home, session, { conflicts }));
  await sendOut(home, session);
  return { here };
}

async function keepLate(home: CarrierSession, session: CarrierSession): Promise<{ readonly late?: Late }> {
  const kept = await setAside(home, session);
  return kept === undefined ? {} : { late: { count: kept.refusedCount, files: kept.refused } };
}
