import { onAbort } from '../../src/abort.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import { ReplicaUnreachable } from './faults.ts';
import type { UseHome } from './homes.ts';
import { LeftOut, type LeftOutTold } from './left-out.ts';
import { Patience } from './patience.ts';
import type { Slot } from './slot.ts';

export interface HomeTurnsParts {
  readonly useHome: UseHome;
  /** The host takes no work now. */
  readonly isLeaving?: (host: string) => boolean;
  /** Called when a host is left out; its exchange has ended. */
  readonly onLeftOut?: (told: LeftOutTold) => void;
}

/** Turns with the homes of agents, for exchanges with the replicas of hosts: none holds up those of other hosts for long. */
export class HomeTurns {
  readonly leftOut: LeftOut;
  readonly #parts: HomeTurnsParts;
  /** By agent, the hosts whose exchanges wait for its home; one for each. */
  readonly #waiting = new Map<string, string[]>();

  constructor(parts: HomeTurnsParts) {
    this.#parts = parts;
    this.leftOut = new LeftOut(parts.onLeftOut);
  }

  /**
   * Does `work` in home's turn. While exchanges with other hosts wait for it, the replica is waited for only so long.
   * `lost`: the replica is gone. Then the turn is not waited for; work that has it ends by itself, and home goes on.
   */
  async take<T>(
    { agent, home: of, host }: Pick<Slot, 'agent' | 'home' | 'host'>,
    replica: CarrierSession,
    work: (home: CarrierSession) => Promise<T>,
    signal: AbortSignal,
    lost: AbortSignal,
  ): Promise<T> {
    const begin = this.#wait(agent, host);
    const ending = new AbortController();
    using _cut = onAbort(signal, () => ending.abort(signal.reason));
    using waiting = onAbort(lost, () => ending.abort(lost.reason));
    const worked = async (home: CarrierSession) => {
      waiting[Symbol.dispose]();
      begin();
      using patience = new Patience(replica, () => this.#allowance(agent, host));
      try {
        return await work(home);
      } catch (error) {
        throw patience.isOver ? this.#giveUp(agent, host) : error;
      }
    };
    try {
      return await this.#parts.useHome(agent, worked, ending.signal, of);
    } finally {
      begin();
    }
  }

  #allowance(agent: string, host: string): 'any' | 'some' | 'little' {
    if (this.leftOut.why({ agent, host }) !== undefined) return 'little';
    return this.#othersWait(agent, host) || this.#parts.isLeaving?.(host) === true ? 'some' : 'any';
  }

  #othersWait(agent: string, host: string): boolean {
    return this.#waiting.get(agent)?.some((each) => each !== host) === true;
  }

  #giveUp(agent: string, host: string): ReplicaUnreachable {
    // It held up nobody: as soon as it takes work again, it may go on.
    if (!this.#othersWait(agent, host))
      return new ReplicaUnreachable(`${host} takes no work now: the exchange with its replica was ended`);
    return new ReplicaUnreachable(this.leftOut.heldUp({ agent, host }));
  }

  /** Returns what ends the waiting. */
  #wait(agent: string, host: string): () => void {
    const waiting = this.#waiting.get(agent) ?? [];
    this.#waiting.set(agent, waiting);
    waiting.push(host);
    let isWaiting = true;
    return () => {
      if (isWaiting) waiting.splice(waiting.indexOf(host), 1);
      isWaiting = false;
    };
  }
}
