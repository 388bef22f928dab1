import type { Duplex } from 'node:stream';
import { abortable } from '../../src/abort.ts';
import { CarrierSession } from '../../src/carrier-client/carrier-session.ts';

/** A stream to the carrier of one agent's home. */
export interface Lane {
  readonly relay: string;
  /** The id of the home that its carrier is at; see `homeOf`. */
  readonly home: string;
  readonly session: CarrierSession;
  /** Its carrier is ready; rejects if it refuses, or if the stream ends. */
  readonly greeted: Promise<unknown>;
  readonly alive: () => boolean;
}

/** The lane of each agent: the newest one counts. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #waiting = new Set<() => void>();

  add(agent: string, { relay, home }: Pick<Lane, 'relay' | 'home'>, stream: Duplex): Lane {
    const session = new CarrierSession(stream, { role: 'home' });
    const lane: Lane = {
      ...{ relay, home },
      session,
      greeted: session.greeted(),
      alive: () => !stream.destroyed && !stream.readableEnded,
    };
    // A user of the lane hears of it; without one the lane is only gone.
    lane.greeted.catch(() => this.end(agent, lane));
    stream.once('close', () => this.end(agent, lane)).once('end', () => this.end(agent, lane));
    // Between exchanges nothing reads the stream, so its end would not be noticed: the next command would take a dead lane.
    stream.on('readable', () => {
      if (stream.readableLength === 0) stream.read(0);
    });
    this.#lanes.get(agent)?.session.destroy();
    this.#lanes.set(agent, lane);
    for (const wake of this.#waiting) wake();
    return lane;
  }

  of(agent: string): Lane | undefined {
    return this.#lanes.get(agent);
  }

  end(agent: string, lane: Lane): void {
    lane.session.destroy();
    if (this.#lanes.get(agent) === lane) this.#lanes.delete(agent);
  }

  endAllBut(isKept: (agent: string, lane: Lane) => boolean): void {
    for (const [agent, lane] of this.#lanes) if (!isKept(agent, lane)) this.end(agent, lane);
  }

  /** The agent's lane to this home within `ms`; else `undefined`. Rejects with the signal's reason. */
  async within(ms: number, agent: string, home: string, signal: AbortSignal): Promise<Lane | undefined> {
    const until = performance.now() + ms;
    for (;;) {
      const [lane, left] = [this.of(agent), until - performance.now()];
      if (lane?.home === home) return lane;
      if (left <= 0) return undefined;
      await this.#nextOffer(left, signal);
    }
  }

  async #nextOffer(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#waiting.add(resolve);
    try {
      await abortable(promise, signal);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(resolve);
    }
  }
}
