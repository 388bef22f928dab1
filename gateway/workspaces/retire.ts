import type { Logger } from 'pino';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { ReplicaOf } from '../ports/replica.ts';
import { keyOf, syncOf } from './home-of.ts';
import { HostLooks } from './host-looks.ts';
import type { Replicas } from './replicas.ts';
import { bytesThere, isInUse, type Slot } from './slot.ts';

export interface RetireParts {
  readonly replicas: Replicas;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  /** Ends what waits there for this agent: it has the folder of a replica whose carrier ends. */
  readonly forget: (agent: string, host: string) => void;
  /** Keeps beside home what only the replica has, and removes it then. Resolves with why it stays; never rejects. */
  readonly evict: (slot: Slot) => Promise<string | undefined>;
  readonly log: Logger;
  /** A test shortens them. */
  readonly times?: Partial<RetireTimes>;
}

/** In milliseconds. */
export interface RetireTimes {
  readonly lookEvery: number;
  /** A carrier that no command used for this long ends; its replica stays. */
  readonly idle: number;
  /** The replica of a home that is not followed any more is removed if nothing used it for this long. */
  readonly gone: number;
  /** One that was used since then is not removed to make room: a ghost may be starting in it. */
  readonly fresh: number;
  /** Nothing else is retired while a replica is asked what it takes; a large one tells later. */
  readonly learn: number;
  /** One that could not go is tried again so much later. */
  readonly stuck: number;
}

const defaults: RetireTimes = {
  lookEvery: 60_000,
  idle: 30 * 60_000,
  gone: 24 * 3_600_000,
  fresh: 60_000,
  learn: 60_000,
  stuck: 10 * 60_000,
};

function bytesOf(slots: readonly Slot[]): number {
  return slots.reduce((sum, slot) => sum + bytesThere(slot), 0);
}

/** Ends carriers that no command uses, and removes replicas of agents that are gone and on hosts that are too full. */
export class Retirement {
  readonly #parts: RetireParts;
  readonly #times: RetireTimes;
  /** By host and replica: since when this gateway knows of one that its agent has no use for. As told at the last look. */
  readonly #unused = new Map<string, ReadonlyMap<string, number>>();
  readonly #stopping = new AbortController();
  /** When a replica was last asked what it takes. */
  readonly #asked = new WeakMap<Slot, number>();
  readonly #looks: HostLooks;

  constructor(parts: RetireParts) {
    this.#parts = parts;
    this.#times = { ...defaults, ...parts.times };
    const { lookEvery } = this.#times;
    this.#looks = new HostLooks(
      lookEvery,
      () => parts.replicas.hosts,
      (host) => this.#look(host),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the gateway stops'));
    await this.#looks.stop();
  }

  /** Also as soon as the agents have changed: the carriers of those that are gone end at once. */
  async endIdle(): Promise<void> {
    await Promise.all([...this.#parts.replicas.hosts].map((host) => this.#endIdleOn(host)));
  }

  async #endIdleOn(host: string): Promise<void> {
    const { replicas } = this.#parts;
    for (const slot of replicas.slots) {
      if (slot.host !== host || slot.opening === undefined || !this.#isIdle(slot)) continue;
      // Without its carrier somebody may prune the volume, and a ghost that waits would have a folder that is gone. What
      // has the folder of a home that its agent has no more was given up when the agents changed.
      if (this.#hostBytes(slot) !== undefined) this.#parts.forget(slot.agent, host);
      await replicas.close(slot);
    }
  }

  async #look(host: string): Promise<void> {
    await this.#endIdleOn(host);
    await this.#tryOn(host, async () => {
      const there = await this.#parts.replicas.on(host);
      await this.#removeUnused(host, there);
      this.#forgetGone(host, new Set(there.map(keyOf)));
      await this.#learnSizes(host, there);
    });
    await this.#tryOn(host, () => this.#makeRoom(host));
  }

  get #stops(): boolean {
    return this.#stopping.signal.aborted;
  }

  #isIdle(slot: Slot): boolean {
    const { bytes, usedAt, openedAt } = slot;
    // One that opens for the first time is being looked at.
    if (isInUse(slot) || bytes === undefined) return false;
    return (
      this.#hostBytes(slot) === undefined || performance.now() - Math.max(usedAt, openedAt) > this.#times.idle
    );
  }

  /** A host that does not answer, or a replica in use, is looked at again. */
  async #tryOn(host: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.log.debug({ host, why: String(error) }, 'replicas that no agent needs may be left');
    }
  }

  async #removeUnused(host: string, there: readonly ReplicaOf[]): Promise<void> {
    const { replicas } = this.#parts;
    const before = this.#unused.get(host);
    const unused = new Map<string, number>();
    this.#unused.set(host, unused);
    const left = there.filter((of) => this.#hostBytes(of) === undefined);
    for (const of of left) unused.set(keyOf(of), before?.get(keyOf(of)) ?? performance.now());
    for (const of of left) {
      if (this.#stops) return;
      const known = replicas.known(host, of);
      // What its last command left there has a day of its own.
      const restsFor = performance.now() - Math.max(unused.get(keyOf(of)) ?? 0, known?.usedAt ?? 0);
      if ((known !== undefined && isInUse(known)) || restsFor < this.#times.gone) continue;
      // While others were removed its home may have been named again.
      if (this.#hostBytes(of) !== undefined) continue;
      // One that cannot be removed holds up no other.
      await this.#tryOn(host, async () => {
        await this.#remove(known ?? replicas.slot(host, of));
        unused.delete(keyOf(of));
      });
    }
  }

  /** Of a home that nothing follows, and of which the host tells no replica, nothing is known any more. */
  #forgetGone(host: string, there: ReadonlySet<string>): void {
    const { replicas } = this.#parts;
    for (const slot of replicas.slots)
      if (slot.host === host && !there.has(keyOf(slot)) && this.#hostBytes(slot) === undefined)
        replicas.forget(slot);
  }

  /**
   * What an earlier gateway left takes room, too. One that does not tell is asked again as late as it would be idle. Of
   * homes that nothing follows none is asked: whatever a host tells, it starts no carrier.
   */
  async #learnSizes(host: string, there: readonly ReplicaOf[]): Promise<void> {
    const { replicas, agents } = this.#parts;
    for (const of of there) {
      if (this.#stops) return;
      const carried = syncOf(agents(), of)?.carried;
      if (carried === undefined) continue;
      const slot = replicas.slot(host, of);
      const askedAt = this.#asked.get(slot) ?? Number.NEGATIVE_INFINITY;
      if (slot.bytes !== undefined || performance.now() - askedAt < this.#times.idle) continue;
      this.#asked.set(slot, performance.now());
      const signal = AbortSignal.any([AbortSignal.timeout(this.#times.learn), this.#stopping.signal]);
      await this.#tryOn(host, () => replicas.learn(slot, carried, signal));
    }
  }

  /**
   * The least recently used goes first. One that cannot be asked what only it has stays, and no other goes for it: else one
   * that its agent fills with what home refuses would cost the others theirs, again and again.
   */
  async #makeRoom(host: string): Promise<void> {
    const { replicas, log } = this.#parts;
    // Those of homes that nothing follows any more have their day, and do not count.
    const here = replicas.slots.filter((slot) => slot.host === host && this.#hostBytes(slot) !== undefined);
    const most = Math.max(...here.map((slot) => this.#hostBytes(slot) ?? 0));
    let bytes = bytesOf(here);
    let movable = bytesOf(here.filter(({ stuckAt }) => stuckAt === undefined));
    for (const slot of here.sort((a, b) => a.usedAt - b.usedAt)) {
      const isFresh = performance.now() - slot.usedAt < this.#times.fresh;
      if (bytes <= most || isFresh || this.#stops) return;
      const wasStuck = slot.stuckAt !== undefined;
      const own = bytesThere(slot);
      if (isInUse(slot) || own === 0 || this.#isStuck(slot) || (movable <= most && !wasStuck)) continue;
      const { agent } = slot;
      const why = await this.#parts.evict(slot);
      if (!wasStuck) movable -= own;
      if (why !== undefined) {
        log.warn({ host, agent, why }, 'the replicas of a host are too large, and this one cannot go');
        slot.stuckAt = performance.now();
        continue;
      }
      bytes -= own;
      log.info({ host, agent }, 'a replica of a workspace made room for others');
    }
  }

  /** To keep beside home what only it has may move gigabytes before it fails. */
  #isStuck({ stuckAt = Number.NEGATIVE_INFINITY }: Slot): boolean {
    return performance.now() - stuckAt < this.#times.stuck;
  }

  /** Of a home that nothing follows: no ghost and no session of its agent has it. */
  async #remove(slot: Slot): Promise<void> {
    const { replicas, log } = this.#parts;
    const { host, agent } = slot;
    await replicas.remove(slot);
    replicas.forget(slot);
    log.info({ host, agent }, 'a replica of a workspace was removed');
  }

  /** `undefined` if nothing follows that home any more. */
  #hostBytes(of: ReplicaOf): number | undefined {
    return syncOf(this.#parts.agents(), of)?.hostBytes;
  }
}
