import type { Duplex } from 'node:stream';
import { abortable } from '../../src/abort.ts';
import { CarrierError } from '../../src/carrier-client/carrier-error.ts';
import { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';
import { renderArgument } from '../../src/text/render-text.ts';
import { Turns } from './turns.ts';

/** The carriers of workspaces at home, each at the other end of a lane that the agent's relay has opened. */
export interface Homes {
  /**
   * A relay offers the home of an agent's workspace: the newest counts, and the one before it ends. Returns why it is
   * refused; the caller then ends the stream.
   */
  readonly offer: (relay: string, agent: string, stream: Duplex) => string | undefined;
  /** Ends what agents have that the relay does not serve any more. */
  readonly holdToAgents: () => void;
  /**
   * Does `work` with an agent's home while nothing else does. Throws `relay-lost` if there is no home within 10 s, or
   * if it goes away, and the signal's reason.
   */
  readonly use: <T>(
    agent: string,
    work: (home: CarrierSession) => Promise<T>,
    signal: AbortSignal,
  ) => Promise<T>;
}

export interface HomesOptions {
  /** The relay that keeps the home of an agent's workspace; `undefined` if replicas do not follow it. */
  readonly relayOf: (agent: string) => string | undefined;
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;

interface Lane {
  readonly relay: string;
  readonly session: CarrierSession;
  readonly greeted: Promise<unknown>;
}

export function createHomes({ relayOf, waitMs = defaultWaitMs }: HomesOptions): Homes {
  const lanes = new Map<string, Lane>();
  const turns = new Map<string, Turns>();
  const waiting = new Set<() => void>();

  function forget(agent: string, lane: Lane): void {
    lane.session.destroy();
    if (lanes.get(agent) === lane) lanes.delete(agent);
  }

  async function laneOf(agent: string, signal: AbortSignal): Promise<Lane> {
    const until = performance.now() + waitMs;
    for (;;) {
      const lane = lanes.get(agent);
      if (lane !== undefined) return lane;
      const left = until - performance.now();
      if (left <= 0) throw lost(agent, `did not offer it within ${waitMs / 1000} s`);
      await nextOffer(left, signal);
    }
  }

  async function nextOffer(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    waiting.add(resolve);
    try {
      await abortable(promise, signal);
    } finally {
      clearTimeout(timer);
      waiting.delete(resolve);
    }
  }

  function turnsOf(agent: string): Turns {
    const known = turns.get(agent) ?? new Turns();
    turns.set(agent, known);
    return known;
  }

  return {
    offer: (relay, agent, stream) => {
      if (relayOf(agent) !== relay)
        return `relay ${relay} does not keep the workspace of agent ${shown(agent)}`;
      const session = new CarrierSession(stream);
      const lane: Lane = { relay, session, greeted: session.greeted() };
      // Who uses it is told; without a user it is only gone.
      lane.greeted.catch(() => forget(agent, lane));
      stream.once('close', () => forget(agent, lane));
      lanes.get(agent)?.session.destroy();
      lanes.set(agent, lane);
      for (const wake of waiting) wake();
      return undefined;
    },
    holdToAgents: () => {
      for (const [agent, lane] of lanes) if (relayOf(agent) !== lane.relay) forget(agent, lane);
    },
    use: async (agent, work, signal) => {
      using _ = await turnsOf(agent).take(signal);
      const lane = await laneOf(agent, signal);
      let whole = false;
      try {
        await abortable(lane.greeted, signal);
        const done = await abortable(work(lane.session), signal);
        whole = true;
        return done;
      } catch (error) {
        whole = error instanceof CarrierError && !gone.has(error.code);
        throw signal.aborted || whole ? error : lost(agent, String(error));
      } finally {
        // What was cut in the middle of an exchange must not continue: the next lane begins with a new carrier.
        if (!whole) forget(agent, lane);
      }
    },
  };
}

function shown(name: string): string {
  return renderArgument(firstBytes(name, 64));
}

/** What ends a carrier, and not only an operation. */
const gone: ReadonlySet<string> = new Set([
  'carrier-lost',
  'carrier-failed',
  'workspace-missing',
  'bad-frame',
]);

function lost(agent: string, why: string): ClawrdenError {
  return new ClawrdenError('relay-lost', `the home of the workspace of agent ${agent}: ${why}`);
}
