import { deadline } from '../../src/abort.ts';
import { abortableSleep } from '../../src/abortable-sleep.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import { bringHome, type HomeTurn } from '../../src/carrier-client/exchange.ts';
import type { Applied, Refused } from '../../src/carrier-client/exchange-frames.ts';
import type { AgentConfig, SyncConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Replica } from '../ports/replica.ts';
import { OtherFolder, ReplicaUnreachable, toWorkspaceError } from './faults.ts';
import { syncOf } from './home-of.ts';
import { type InReplicaParts, inReplica } from './in-replica.ts';
import { keepLate, type Late } from './keep-late.ts';
import { type Brought, settle } from './settle.ts';
import { type Holder, isInUse, type Slot } from './slot.ts';
import { SlowHost } from './slow-host.ts';
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

/** What a command's end leaves on its host. */
export interface NotHome {
  readonly agent: string;
  /** Changes, of any command that works in the same replica, that home did not take: they are kept beside home. */
  readonly refused: number;
  /** Paths that were another thing each time they were looked at, and no other command works there that may write them. */
  readonly unstable: readonly Buffer[];
  /** Paths that came to be there and are too large or too deep to be carried, or have a carrier's own name. */
  readonly notCarried: readonly Buffer[];
}

/** One command's use of a workspace on a host that does not see its home. */
export interface Visit {
  /**
   * Everything that was at home before this was called is on the host. `onSlow` is called once if the host itself, and not
   * home, takes long.
   */
  readonly settle: (signal: AbortSignal, onSlow?: () => void) => Promise<void>;
  /** Everything that is on the host now is at home, but for what is returned: since `settle`, in any exchange. */
  readonly bringHome: (signal: AbortSignal) => Promise<NotHome | undefined>;
  /** Both: while the command runs. */
  readonly exchange: (signal: AbortSignal) => Promise<void>;
  /** It runs in this session, and may leave something there that writes on: as long as that is there, nothing is late. */
  readonly leaveIn: (session: Holder) => void;
  /** The command has ended. Once. */
  readonly end: () => void;
}

export interface VisitParts extends InReplicaParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly onNotApplied: (found: NotApplied) => void;
  /** The carrier of a replica was not told of so many changes, and found them by itself. */
  readonly onMissed?: (agent: string, host: string, count: number) => void;
}

/** An exchange may move gigabytes; a carrier that is silent for 120 s ends it before. */
const exchangeWithinMs = 30 * 60_000;
/** What changes while it is read is asked for again after each of these: what a tool left running ends with its ghost. */
const unstableAgainMs = [20, 50, 100, 200, 400, 800];
/** So often if others work there, who may be writing it: it comes home with the last of them. */
const besideOthers = 3;

type Visitor = Pick<NotApplied, 'agent' | 'host' | 'execution'>;
type Work<T> = (turn: HomeTurn, replica: Replica, sync: SyncConfig) => Promise<T>;

interface Scene {
  readonly parts: VisitParts;
  readonly of: Visitor;
  readonly slot: Slot;
}

/** `slot`: of the home that the agent has when the command begins. `mounted`: what its container mounts, if it has one. */
export function visitOf(parts: VisitParts, of: Visitor, slot: Slot, mounted?: object): Visit {
  const scene: Scene = { parts, of, slot };
  const stay = new Stay(slot);
  const applied = (found: Applied) => tellRefused(scene, found);
  const taken = (brought: Brought) => noteMet(scene, brought);
  let before: readonly Buffer[] = [];
  const there = (state: CarrierState) => {
    before = notCarriedIn(state);
  };
  const late = (found: Late) => parts.onNotApplied({ ...of, why: 'late', ...found });
  return {
    settle: async (signal, onSlow) => {
      const out = parts.turns.leftOut.why(of);
      if (out !== undefined) throw new ReplicaUnreachable(out);
      stay.wait();
      using slow = new SlowHost(() => onSlow?.());
      const work: Work<void> = async (turn, replica, sync) => {
        // It was removed while the command waited for its turn, and made anew for this one.
        if (mounted !== undefined && mounted !== slot.volume) throw new OtherFolder(of.agent, of.host);
        const sides = { turn, replica, sync, slot, signal };
        const here = await settle(sides, stay.work(), { applied, taken, late, there });
        stay.begin();
        parts.replicas.met(slot, here);
      };
      await exchanged(scene, signal, work, slow);
    },
    bringHome: async (signal) => {
      const { unstable, ...found } = await bringAll(scene, signal);
      const refused = stay.notTaken;
      const notCarried = found.notCarried.filter((path) => !before.some((one) => one.equals(path)));
      if (refused + unstable.length + notCarried.length === 0) return undefined;
      return { agent: of.agent, refused, unstable, notCarried };
    },
    exchange: (signal) =>
      exchanged(scene, signal, async (turn, replica, sync) => {
        const sides = { turn, replica, sync, slot, signal };
        parts.replicas.met(slot, await settle(sides, false, { applied, taken, late }));
      }),
    leaveIn: (session) => stay.leaveIn(session, () => void keepLeft(scene, late)),
    end: () => stay.end(),
  };
}

/**
 * What a session's background wrote is kept at its end: no command may ever come to that host again. If that fails, the
 * next one there keeps it.
 */
async function keepLeft(scene: Scene, onKept: (found: Late) => void): Promise<void> {
  const { slot } = scene;
  const { signal } = new AbortController();
  await exchanged(scene, signal, async (turn, { session }, { carried: { limits } }) => {
    if (isInUse(slot)) return;
    const wish = { turn, session, limits, signal, there: await session.settle(), keptTree: slot.keptTree };
    await keepLate(wish, (tree, found) => {
      slot.keptTree = tree;
      onKept(found);
    });
  }).catch(() => {});
}

/** Does `work` in the replica's turn. What ends either carrier is thrown as people are told of it. */
async function exchanged<T>(scene: Scene, signal: AbortSignal, work: Work<T>, slow?: SlowHost): Promise<T> {
  const { parts, of, slot } = scene;
  const { host, agent } = of;
  const late = () => new ClawrdenError('workspace-unreachable', `an exchange with ${host} took too long`);
  using until = deadline(exchangeWithinMs, late, signal);
  try {
    const carried = () => syncNow(scene).carried;
    return await inReplica(slot, carried, parts, until.signal, async (replica, turn) => {
      try {
        return await work(slow === undefined ? turn : pausing(turn, slow), replica, syncNow(scene));
      } finally {
        const missed = replica.session.takeMissed();
        if (missed > 0) parts.onMissed?.(agent, host, missed);
      }
    });
  } catch (error) {
    throw toWorkspaceError(error, host);
  }
}

/** What waits for home does not wait for the host. */
function pausing(turn: HomeTurn, slow: SlowHost): HomeTurn {
  return (work) => {
    slow.pause();
    const worked = turn((home) => {
      slow.go();
      return work(home);
    });
    return worked.finally(() => slow.go());
  };
}

/**
 * How the workspace is followed now: a person may change that while the command runs. What it wrote for one home is
 * never brought to another.
 */
function syncNow({ parts, slot }: Scene): SyncConfig {
  const sync = syncOf(parts.agents(), slot);
  if (sync === undefined) throw otherHome(slot.agent);
  return sync;
}

export function otherHome(agent: string): ClawrdenError {
  const text = `agent ${agent} has another workspace in gateway.yaml than when the command began`;
  return new ClawrdenError('workspace-unreachable', text);
}

function noteMet({ parts, slot }: Scene, brought: Brought): void {
  if (brought === undefined) return;
  const { at: version, bytes, entries } = brought.state;
  parts.replicas.met(slot, { version, bytes, entries });
}

/** What an exchange left undone is told once, and to each command that works there. */
function tellRefused({ parts, of, slot }: Scene, { refused }: Applied): void {
  const files = refused.filter(({ why }) => why !== 'unstable');
  if (files.length === 0) return;
  slot.notTaken += files.length;
  parts.onNotApplied({ ...of, why: 'conflict', count: files.length, files });
}

/** Of the root: a carrier's own folder has it where it is in the tree. */
const ownName = /^\.clawrden(?:-[1-8])?$/;

/** What no rule of the operator's leaves out, and home has not. */
function notCarriedIn({ skipped }: CarrierState): readonly Buffer[] {
  return skipped.flatMap(({ why, path }) => {
    const isOwn = why === 'reserved' && ownName.test(path.toString('latin1'));
    return isOwn || why === 'too-large' || why === 'too-deep' ? [path] : [];
  });
}

/** Resolves with what does not come, however often it is asked for. Other exchanges of the agent have turns between. */
async function bringAll(
  scene: Scene,
  signal: AbortSignal,
): Promise<Pick<NotHome, 'unstable' | 'notCarried'>> {
  let notCarried: readonly Buffer[] = [];
  for (const [round, pause] of [...unstableAgainMs, undefined].entries()) {
    const unstable = await exchanged(scene, signal, async (turn, { session }, { carried }) => {
      const { conflicts, limits } = carried;
      const there = await session.settle();
      notCarried = notCarriedIn(there);
      const onApplied = (applied: Applied) => tellRefused(scene, applied);
      const brought = await bringHome(turn, session, { conflicts, limits, there, onApplied });
      noteMet(scene, brought);
      return brought?.state.unstable ?? [];
    });
    if (unstable.length === 0 || (scene.slot.working > 1 && round >= besideOthers)) break;
    if (pause === undefined) return { unstable, notCarried };
    await abortableSleep(pause, signal);
  }
  return { unstable: [], notCarried };
}
