import type { Duplex } from 'node:stream';
import { abortable } from '../../src/abort.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { TakenLate } from '../../src/carrier-client/carrier-state.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';
import { renderArgument } from '../../src/text/render-text.ts';
import { isUsable } from './faults.ts';
import { type Lane, Lanes } from './lanes.ts';

/** The carriers of workspaces at home, each at the other end of a lane that the agent's relay has opened. */
export interface Homes {
  /**
   * A relay offers the home of an agent's workspace: the newest counts, and the one before it ends. Returns why it is
   * refused; the caller then ends the stream.
   */
  readonly offer: (relay: string, agent: string, stream: Duplex) => string | undefined;
  /** Ends the lanes of agents that another relay serves now, or none. */
  readonly holdToAgents: () => void;
  /**
   * Does `work` with an agent's home while no other work does. Throws what `work` throws, `workspace-unreachable`
   * if there is no home within 10 s or if it goes away, and the signal's reason.
   */
  readonly use: UseHome;
  /** A relay offers the agent's home now. */
  readonly isOffered: (agent: string) => boolean;
}

export type UseHome = <T>(
  agent: string,
  work: (home: CarrierSession) => Promise<T>,
  signal: AbortSignal,
) => Promise<T>;

export interface HomesOptions {
  /** The relay that keeps the home of an agent's workspace; `undefined` if replicas do not follow it. */
  readonly relayOf: (agent: string) => string | undefined;
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
  relayOf,
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
  return {
    offer: (relay, agent, stream) => {
      if (relayOf(agent) !== relay) {
        const why = `relay ${relay} does not keep the workspace of agent ${shown(agent)}`;
        onRefused?.(relay, agent, why);
        return why;
      }
      const lane = lanes.add(agent, relay, stream);
      lane.greeted.then(
        () => onReady?.(agent),
        () => {},
      );
      return undefined;
    },
    holdToAgents: () => lanes.endAllBut((agent, relay) => relayOf(agent) === relay),
    use: (agent, work, signal) =>
      gateOf(agent).through(signal, async () => {
        const lane = await lanes.within(waitMs, agent, signal);
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
