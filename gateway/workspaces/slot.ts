import { setImmediate as turn } from 'node:timers/promises';
import type { Version } from '../../src/carrier-client/carrier-state.ts';
import type { Measured } from '../../src/carrier-client/measured.ts';
import { Gate } from '../../src/gate.ts';
import type { Replica, ReplicaHost, ReplicaOf, ReplicaWish } from '../ports/replica.ts';

/** What of a workspace is carried. */
export type Carried = Pick<ReplicaWish, 'limits' | 'excludes'>;

/** A session that mounts a replica. */
export interface Holder {
  /** Nothing in it works any more. Never rejects. */
  readonly gone: Promise<unknown>;
}

/** What a replica was found to take. */
export interface Taken {
  readonly disk: Measured;
  /** It was not counted in time: this is what it took before. */
  readonly isLate: boolean;
  /** On the monotonic clock. */
  readonly at: number;
  /** What the carried files were long then. */
  readonly lengths: number;
  /** The counts before, the newest first. */
  readonly before: readonly { readonly bytes: number; readonly at: number }[];
}

/** Where a replica is, until it is removed. */
export type ReplicaVolume = Pick<Slot, 'host' | 'agent'>;

/** The replica of one home on one host, as far as this gateway uses it. */
export interface Slot extends ReplicaOf {
  readonly host: string;
  /** The host's, when this gateway first used it; absent until there is one. */
  engine: ReplicaHost | undefined;
  /** What a ghost mounts; another after each removal. */
  volume: ReplicaVolume;
  /** One exchange at a time. */
  readonly turn: Gate;
  /** Ends the exchange that is going on, and those that wait. */
  cut: AbortController;
  /** Its carrier, or what starts it. */
  opening: Promise<Replica> | undefined;
  /** What that carrier was told to carry. */
  carried: Carried | undefined;
  /** Commands that work in it now, wait for their turn to bring it to where home is, or whose container starts. */
  commands: number;
  /** Those of them that work in it. */
  working: number;
  /** Sessions in which commands worked, and left what may work on in it. */
  readonly holders: Set<Holder>;
  /** Changes in it that home did not take, since this gateway began. */
  notTaken: number;
  /** The id of its tree when what it had was last kept beside home. */
  keptTree: string | undefined;
  /** When it last could not go to make room, on the monotonic clock; absent if it may. */
  stuckAt: number | undefined;
  /**
   * When a command or a ghost that starts last used it, on the monotonic clock, in milliseconds; 0: not since this gateway
   * began.
   */
  usedAt: number;
  /** When somebody last needed its carrier, for whatever reason; 0: not since this gateway began. */
  openedAt: number;
  /** Of its files, when somebody last looked; absent if nobody has since this gateway began. */
  bytes: number | undefined;
  /** What it took on its disk when that was last counted. */
  taken: Taken | undefined;
  /** When its disk was last looked at, of the times that it was used. */
  seenAt: number;
  /** What it takes may be another by now. */
  isToCount: boolean;
  /** How many they are, then. */
  entries: number | undefined;
  /** The version of home that it had then. */
  at: Version | undefined;
  /** It is being removed: who needs it waits, and makes another. */
  removing: Promise<void> | undefined;
}

/** Something works in it, or is about to. */
export function isInUse({ commands, holders }: Pick<Slot, 'commands' | 'holders'>): boolean {
  return commands > 0 || holders.size > 0;
}

export function newSlot(host: string, { agent, home }: ReplicaOf, engine: ReplicaHost | undefined): Slot {
  return {
    ...{ host, agent, home, engine },
    volume: { host, agent },
    turn: new Gate(() => 1),
    cut: new AbortController(),
    opening: undefined,
    carried: undefined,
    commands: 0,
    working: 0,
    holders: new Set(),
    notTaken: 0,
    keptTree: undefined,
    stuckAt: undefined,
    usedAt: 0,
    openedAt: 0,
    bytes: undefined,
    ...{ taken: undefined, seenAt: 0, isToCount: false },
    entries: undefined,
    at: undefined,
    removing: undefined,
  };
}

/** On its disk: what was counted and what is carried since, or the lengths of what is carried, of which some may be holes. */
export function bytesThere({ bytes = 0, taken }: Pick<Slot, 'bytes' | 'taken'>): number {
  return taken === undefined ? bytes : taken.disk.bytes + Math.max(0, bytes - taken.lengths);
}

/** How much more it takes than when it was last counted before `since`; all of it if it was not. */
export function grownSince({ taken }: Pick<Slot, 'taken'>, since: number): number {
  if (taken === undefined || taken.at < since) return 0;
  const before = taken.before.find(({ at }) => at < since);
  return taken.disk.bytes - (before?.bytes ?? 0);
}

/** Its replica if the carrier is there now. */
export async function runningIn({ opening }: Pick<Slot, 'opening'>): Promise<Replica | undefined> {
  const replica = await Promise.race([opening?.catch(() => undefined), turn(undefined)]);
  return replica?.alive() === true ? replica : undefined;
}
