import type { Duplex } from 'node:stream';
import { abortable } from '../../src/abort.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { TakenLate } from '../../src/carrier-client/carrier-state.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';
import { renderArgument } from '../../src/text/render-text.ts';
import { isUsable } from './faults.ts';
import { type HomePlace, homeOf } from './home-of.ts';
import { type Lane, Lanes } from './lanes.ts';

/** The carriers of workspaces at home, each at the other end of a lane that the agent's relay has opened. */
export interface Homes {
  /**
   * A relay offers the home of an agent's workspace: the newest counts, and the one before it ends. Returns why it is
   * refused; the caller then ends the stream. `place`: where its carrier is; a relay of before does not say.
   */
  readonly offer: (relay: string, agent: string, stream: Duplex, place?: HomePlace) => string | undefined;
  /** Ends the lanes to homes that are not those of the agents in force. */
  readonly holdToAgents: () => void;
  /**
   * Does `work` with an agent's home while no other work does. Throws what `work` throws, `workspace-unreachable`
   * if there is no home within 10 s or if it goes away, and the signal's reason. `of`: the home that it must be; absent:
   * the one that the agent has now.
   */
  readonly use: UseHome;
  /** A relay offers the agent's home now. */
  readonly isOffered: (agent: string) => boolean;
}

export type UseHome = <T>(
  agent: string,
  work: (home: CarrierSession) => Promise<T>,
  signal: AbortSignal,
  of?: string,
) => Promise<T>;

export interface HomesOptions {
  /** Where the home of an agent's workspace is; `undefined` if replicas do not follow it. */
  readonly placeOf: (agent: string) => (HomePlace & { readonly relay: string }) | undefined;
  /** Called when a relay offers a home that it does not keep. */
  readonly onRefused?: (relay: string, agent: string, why: string) => void;
  /** Called when the carrier of a home is ready. */
  readonly onReady?: (agent: string) => void;
  /** Called with files that somebody wrote after an exchange had replaced them. */
  readonly onLate?: (agent: string, late: TakenLate) => void;
  /** Called with how many changes home's carrier was not told of and found by itself. */
  readonly onMissed?: (agent: string, count: number) => void;
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;

export function createHomes({
  placeOf,
  onRefused,
  onReady,
  onLate,
  onMissed,
  waitMs = defaultWaitMs,
}: HomesOptions): Homes {
  const lanes = new Lanes();
  const gates = new Map<string, Gate>();
  const gateOf = (agent: string): Gate => {
    const known = gates.get(agent) ?? new Gate(() => 1);
    gates.set(agent, known);
    return known;
  };
  const homeNow = (agent: string): string | undefined => {
    const place = placeOf(agent);
    return place && homeOf(place.relay, place);
  };
  return {
    offer: (relay, agent, stream, place) => {
      const now = placeOf(agent);
      if (now?.relay !== relay) {
        const why = `relay ${relay} does not keep the workspace of agent ${shown(agent)}`;
        onRefused?.(relay, agent, why);
        return why;
      }
      const home = homeOf(relay, now);
      // It has not heard yet that another one is meant.
      if (place !== undefined && homeOf(relay, place) !== home)
        return `agent ${shown(agent)} has another workspace now`;
      const lane = lanes.add(agent, { relay, home }, stream);
      lane.greeted.then(
        () => onReady?.(agent),
        () => {},
      );
      return undefined;
    },
    holdToAgents: () => lanes.endAllBut((agent, { home }) => homeNow(agent) === home),
    use: (agent, work, signal, of) =>
      gateOf(agent).through(signal, async () => {
        const now = homeNow(agent) ?? '';
        if (of !== undefined && of !== now) throw lost(agent, 'gateway.yaml names another one now');
        const lane = await lanes.within(waitMs, agent, now, signal);
        if (lane === undefined) throw lost(agent, `its relay did not offer it within ${waitMs / 1000} s`);
        try {
          return await useLane(lane, agent, work, signal, () => lanes.end(agent, lane));
        } finally {
          const late = lane.session.takeLate();
          if (late.count > 0) onLate?.(agent, late);
          const missed = lane.session.takeMissed();
          if (missed > 0) onMissed?.(agent, missed);
        }
      }),
    isOffered: (agent) => lanes.of(agent) !== undefined,
  };
}

async function useLane<T>(
  lane: Lane,
  agent: string,
  work: (home: CarrierSession) => Promise<T>,
  signal: AbortSignal,
  end: () => void,
): Promise<T> {
  try {
    await abortable(lane.greeted, signal);
    return await abortable(work(lane.session), signal);
  } catch (error) {
    const isHomeLost = !lane.alive();
    // What was cut must not continue: the next lane has a new carrier.
    if (signal.aborted || !isUsable(lane.session, 'home', error)) end();
    throw isHomeLost && !signal.aborted ? lost(agent, messageOf(error)) : error;
  }
}

function lost(agent: string, why: string): ClawrdenError {
  return new ClawrdenError('workspace-unreachable', `the home of the workspace of agent ${agent}: ${why}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shown(name: string): string {
  return renderArgument(firstBytes(name, 64));
}
