import { setImmediate as turn } from 'node:timers/promises';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import type { Replica } from '../ports/replica.ts';
import type { HomeView, ReplicaView, WorkspaceView } from '../ports/workspace-view.ts';
import type { Homes } from './homes.ts';
import type { Replicas, Slot } from './replicas.ts';
import { refusalOf, useNow } from './use-now.ts';

/** Two people who look at the same time do not wait for each other long. */
const lookTurnMs = 3_000;
/** Of skipped paths. */
const toldBytes = 64 * 1024;

interface Found {
  readonly home: CarrierState;
  readonly replicas: ReadonlyMap<string, CarrierState | string>;
}

/** Asks home's carrier, those of the replicas that run, and the engines. */
export async function viewWorkspace(
  agent: string,
  { homes, replicas }: { readonly homes: Homes; readonly replicas: Replicas },
): Promise<WorkspaceView> {
  const there = placesOf(agent, replicas);
  const asked = await useNow(homes, agent, (home) => askAll(home, agent, replicas), lookTurnMs);
  const found = 'done' in asked ? asked.done : undefined;
  const views = (await there).map(({ host, problem }) => replicaView(host, problem, agent, replicas, found));
  const home = found === undefined && 'text' in asked ? { problem: asked.text } : homeView(found?.home);
  return { home, replicas: await Promise.all(views) };
}

interface Place {
  readonly host: string;
  readonly problem: string;
}

/** The hosts where the agent has a replica, and those that do not answer. */
async function placesOf(agent: string, replicas: Replicas): Promise<Place[]> {
  const hosts = [...replicas.hosts].toSorted();
  const looks = hosts.map(async (host): Promise<Place[]> => {
    try {
      return (await replicas.agentsOn(host)).includes(agent) ? [{ host, problem: '' }] : [];
    } catch (error) {
      return [{ host, problem: `its engine does not answer: ${refusalOf(error, host).text}` }];
    }
  });
  return (await Promise.all(looks)).flat();
}

async function askAll(home: CarrierSession, agent: string, replicas: Replicas): Promise<Found> {
  const here = await home.settle();
  const states = new Map<string, CarrierState | string>();
  for (const slot of replicas.slots) {
    const replica = slot.agent === agent ? await runningIn(slot) : undefined;
    if (replica === undefined) continue;
    const state = await replica.session.settle().catch((error: unknown) => refusalOf(error, slot.host).text);
    states.set(slot.host, state);
  }
  return { home: here, replicas: states };
}

/** Its replica if the carrier is there now. */
async function runningIn({ opening }: Slot): Promise<Replica | undefined> {
  const replica = await Promise.race([opening?.catch(() => undefined), turn(undefined)]);
  return replica?.alive() === true ? replica : undefined;
}

function homeView(state: CarrierState | undefined): HomeView | { problem: string } {
  if (state === undefined) return { problem: 'its carrier was not asked' };
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
  agent: string,
  replicas: Replicas,
  found: Found | undefined,
): Promise<ReplicaView> {
  const slot = replicas.known(host, agent);
  const asked = found?.replicas.get(host);
  const state = typeof asked === 'object' ? asked : undefined;
  const running = slot !== undefined && (await runningIn(slot)) !== undefined;
  const isUsed = slot !== undefined && slot.usedAt > 0;
  return {
    host,
    running,
    problem: problem || (typeof asked === 'string' ? asked : ''),
    entries: state?.entries ?? 0,
    bytes: state?.bytes ?? slot?.bytes ?? 0,
    commands: slot?.commands ?? 0,
    ...(isUsed ? { usedAt: Date.now() - (performance.now() - slot.usedAt) } : {}),
    ...positionOf(found?.home, state),
    unsent: state?.dirty ?? 0,
  };
}

function positionOf(
  home: CarrierState | undefined,
  state: CarrierState | undefined,
): Pick<ReplicaView, 'position' | 'behind'> {
  if (home === undefined || state === undefined) return { behind: 0 };
  if (state.at.epoch !== home.version.epoch) return { position: 'unknown', behind: 0 };
  const behind = Number(home.version.seq - state.at.seq);
  return { position: behind === 0 ? 'current' : 'behind', behind };
}
