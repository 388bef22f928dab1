import { abortable, deadline } from '../../src/abort.ts';
import { type CarrierState, isOfOneIndex } from '../../src/carrier-client/carrier-state.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { ReplicaOf } from '../ports/replica.ts';
import type { HomeView, ReplicaView, WorkspaceView } from '../ports/workspace-view.ts';
import { keyOf } from './home-of.ts';
import type { Homes } from './homes.ts';
import type { Replicas } from './replicas.ts';
import { bytesThere, runningIn, type Slot } from './slot.ts';
import { refusalOf, useNow } from './use-now.ts';

/** Two people who look at the same time do not wait for each other long. */
const lookTurnMs = 3_000;
/** A person waits no longer for what a carrier says. */
const lookMs = 5_000;
const isBusy = 'is in an exchange, or does not answer: try again soon';
/** Of skipped paths. */
const toldBytes = 64 * 1024;

interface Found {
  readonly home: CarrierState | undefined;
  readonly replicas: ReadonlyMap<string, CarrierState | string>;
}

/** Asks home's carrier, those of the replicas that run, and the engines: none waits for another. */
export async function viewWorkspace(
  of: ReplicaOf,
  { homes, replicas }: { readonly homes: Homes; readonly replicas: Replicas },
): Promise<WorkspaceView> {
  const [there, home, states] = await Promise.all([
    placesOf(of, replicas),
    askHome(of.agent, homes),
    askAll(of, replicas),
  ]);
  const found: Found = { home: typeof home === 'string' ? undefined : home, replicas: states };
  const views = there.map(({ host, problem }) => replicaView(host, problem, of, replicas, found));
  return {
    home: typeof home === 'string' ? { problem: home } : homeView(home),
    replicas: await Promise.all(views),
  };
}

interface Place {
  readonly host: string;
  readonly problem: string;
}

/** The hosts where it has a replica, and those that do not answer. */
async function placesOf(of: ReplicaOf, replicas: Replicas): Promise<Place[]> {
  const hosts = [...replicas.hosts].toSorted();
  const looks = hosts.map(async (host): Promise<Place[]> => {
    try {
      return (await replicas.isOn(host, of)) ? [{ host, problem: '' }] : [];
    } catch (error) {
      return [{ host, problem: `its engine does not answer: ${refusalOf(error, host).text}` }];
    }
  });
  return (await Promise.all(looks)).flat();
}

async function askAll(of: ReplicaOf, replicas: Replicas): Promise<Map<string, CarrierState | string>> {
  const all = replicas.slots.flatMap((slot) => (keyOf(slot) === keyOf(of) ? [ask(slot)] : []));
  return new Map((await Promise.all(all)).flat());
}

/** In the replica's turn: a carrier is asked one thing at a time. Nobody cuts it short because a person looks. */
async function ask(slot: Slot): Promise<[string, CarrierState | string][]> {
  using until = deadline(
    lookMs,
    () => new ClawrdenError('canceled', `the replica on ${slot.host} ${isBusy}`),
  );
  const asked = slot.turn.through(until.signal, async () => (await runningIn(slot))?.session.settle());
  try {
    const state = await abortable(asked, until.signal);
    return state === undefined ? [] : [[slot.host, state]];
  } catch (error) {
    return [[slot.host, refusalOf(error, slot.host).text]];
  }
}

async function askHome(agent: string, homes: Homes): Promise<CarrierState | string> {
  using until = deadline(lookMs, () => new ClawrdenError('canceled', `home ${isBusy}`));
  try {
    const asked = await abortable(
      useNow(homes, agent, (home) => home.settle(), lookTurnMs),
      until.signal,
    );
    return 'done' in asked ? asked.done : asked.text;
  } catch (error) {
    return refusalOf(error).text;
  }
}

function homeView(state: CarrierState): HomeView {
  const { entries, bytes, full, scans, suspect, lost, unconfined, skippedCount } = state;
  let left = toldBytes;
  const skipped = state.skipped.filter(({ path }) => {
    left -= path.length;
    return left >= 0;
  });
  return { entries, bytes, full, scans, suspect, lost, unconfined, skippedCount, skipped };
}

async function replicaView(
  host: string,
  problem: string,
  of: ReplicaOf,
  replicas: Replicas,
  found: Found,
): Promise<ReplicaView> {
  const slot = replicas.known(host, of);
  const asked = found.replicas.get(host);
  const state = typeof asked === 'object' ? asked : undefined;
  const running = slot !== undefined && (await runningIn(slot)) !== undefined;
  const isUsed = slot !== undefined && slot.usedAt > 0;
  return {
    host,
    running,
    problem: problem || (typeof asked === 'string' ? asked : ''),
    entries: state?.entries ?? 0,
    bytes: Math.max(state?.bytes ?? 0, slot === undefined ? 0 : bytesThere(slot)),
    commands: slot?.commands ?? 0,
    ...(isUsed ? { usedAt: Date.now() - (performance.now() - slot.usedAt) } : {}),
    ...positionOf(found.home, state),
    unsent: state?.dirty ?? 0,
  };
}

function positionOf(
  home: CarrierState | undefined,
  state: CarrierState | undefined,
): Pick<ReplicaView, 'position' | 'behind'> {
  if (home === undefined || state === undefined) return { behind: 0 };
  const behind = Number(home.version.seq - state.at.seq);
  // Home has not made that version yet.
  if (!isOfOneIndex(state.at, home.version) || behind < 0) return { position: 'unknown', behind: 0 };
  return { position: behind === 0 ? 'current' : 'behind', behind };
}
