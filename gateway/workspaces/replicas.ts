import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { abortable, deadline } from '../../src/abort.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { CarrierState, TakenLate } from '../../src/carrier-client/carrier-state.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Replica, ReplicaHost, ReplicaOf } from '../ports/replica.ts';
import { ReplicaUnreachable } from './faults.ts';
import { keyOf, keyOn } from './home-of.ts';
import { measureSlot } from './measure-slot.ts';
import { type Carried, isInUse, newSlot, type Slot } from './slot.ts';

/** What is known of a home. */
export type Home = Pick<CarrierState, 'version' | 'bytes' | 'entries'>;

/** Called with what a replica's carrier took out of its tree for home's changes, and keeps: nobody else looks there. */
export type OnKeptThere = (of: Pick<Slot, 'host' | 'agent'>, kept: TakenLate) => void;

function carriesSame(before: Carried | undefined, now: Carried): boolean {
  const { limits, excludes } = now;
  return before === undefined || isDeepStrictEqual(before, { limits, excludes });
}

/** A large replica on a slow disk is looked at in whole; a carrier that is silent for 120 s ends it before. */
const openWithinMs = 30 * 60_000;
/** A carrier that ends keeps what it finds in any case: only to hear of it may take so long. */
const hearWithinMs = 2000;
const leftLookMs = 1000;
const countWithinMs = 30_000;

/** The replicas of all homes on all hosts, each with one carrier at most. */
export class Replicas {
  readonly #engines = new Map<string, ReplicaHost>();
  readonly #slots = new Map<string, Slot>();
  /** Of engines that their hosts no longer have: nothing new uses them. */
  readonly #left = new Set<Slot>();
  readonly #losses = new Map<string, AbortController>();
  /** By `keyOf`, as they were at the last exchange. */
  readonly homes = new Map<string, Home>();
  readonly #onKeptThere: OnKeptThere;

  constructor(onKeptThere: OnKeptThere = () => {}) {
    this.#onKeptThere = onKeptThere;
  }

  /** From now on replicas on `host` are made by this engine. */
  attach(host: string, engine: ReplicaHost): void {
    const before = this.#engines.get(host);
    if (before !== undefined && before !== engine) this.detach(host, before);
    this.#engines.set(host, engine);
    for (const slot of this.#slots.values()) if (slot.host === host) slot.engine ??= engine;
  }

  /**
   * The host no longer has this engine. What works there goes on with its replica and takes home what it wrote; its
   * carriers end with the last of it.
   */
  detach(host: string, engine: ReplicaHost): void {
    if (this.#engines.get(host) === engine) this.#engines.delete(host);
    for (const [key, slot] of this.#slots) {
      if (slot.host !== host || slot.engine !== engine) continue;
      this.#slots.delete(key);
      this.#left.add(slot);
      void this.#endLeft(slot);
    }
  }

  engine(host: string): ReplicaHost | undefined {
    return this.#engines.get(host);
  }

  get hosts(): Iterable<string> {
    return this.#engines.keys();
  }

  get slots(): readonly Slot[] {
    return [...this.#slots.values(), ...this.#left];
  }

  /** `undefined` if nothing here has used it. */
  known(host: string, of: ReplicaOf): Slot | undefined {
    return this.#slots.get(keyOn(host, of));
  }

  slot(host: string, of: ReplicaOf): Slot {
    const known = this.known(host, of);
    if (known !== undefined) return known;
    const slot = newSlot(host, of, this.#engines.get(host));
    this.#slots.set(keyOn(host, of), slot);
    return slot;
  }

  /** Nothing uses it, and no replica of it is there. A slot that somebody has or waits for stays. */
  forget(slot: Slot): void {
    const { host, opening, removing, turn } = slot;
    const isUsed = isInUse(slot) || turn.load > 0 || opening !== undefined || removing !== undefined;
    if (!isUsed && this.known(host, slot) === slot) this.#slots.delete(keyOn(host, slot));
  }

  /** All that are there. Rejects like `ReplicaHost.replicas`. */
  async on(host: string): Promise<readonly ReplicaOf[]> {
    return (await this.#engines.get(host)?.replicas()) ?? [];
  }

  async isOn(host: string, of: ReplicaOf): Promise<boolean> {
    return (await this.on(host)).some((each) => keyOf(each) === keyOf(of));
  }

  /**
   * The agent's replica there, with a carrier that lives. `as asked`: with one that carries what is asked for, and only
   * in the replica's turn; otherwise what it carries does not matter. Throws like `ReplicaHost.openReplica`.
   */
  async open(
    slot: Slot,
    carried: Carried,
    signal: AbortSignal,
    how: 'as it is' | 'as asked' = 'as it is',
  ): Promise<Replica> {
    while (slot.removing !== undefined) await abortable(slot.removing, signal);
    slot.openedAt = performance.now();
    if (how === 'as asked' && !carriesSame(slot.carried, carried)) await abortable(this.close(slot), signal);
    const known = slot.opening;
    const replica = await abortable(known ?? this.#start(slot, carried), signal);
    if (known === undefined || replica.alive()) return replica;
    // Who comes first here starts another; all others wait for that one.
    if (slot.opening === known) slot.opening = undefined;
    return abortable(slot.opening ?? this.#start(slot, carried), signal);
  }

  /**
   * What a replica takes that nothing here has used: its carrier starts, and ends again if no command wants it meanwhile.
   * Rejects like `open`.
   */
  async learn(slot: Slot, carried: Carried, signal: AbortSignal): Promise<void> {
    if (slot.opening !== undefined || slot.removing !== undefined) return;
    const { openedAt } = slot;
    await abortable(this.#start(slot, carried), signal);
    await measureSlot(slot, 'all', countWithinMs);
    if (slot.openedAt === openedAt && !isInUse(slot)) await this.close(slot);
  }

  /** Several commands may wait for one start, so it does not end with any of them. */
  #start(slot: Slot, { limits, excludes }: Carried): Promise<Replica> {
    const { engine } = slot;
    if (engine === undefined) throw new ClawrdenError('no-host', `Docker host ${slot.host} is gone`);
    const { host, agent, home } = slot;
    const late = () => new ReplicaUnreachable(`the replica on ${host} was not ready in 30 minutes`);
    const until = deadline(openWithinMs, late, this.lossOf(host));
    const opening = engine
      .openReplica({ agent, home, limits, excludes }, until.signal)
      .finally(() => until[Symbol.dispose]());
    slot.opening = opening;
    slot.carried = { limits, excludes };
    opening.then(
      ({ found }) => {
        [slot.bytes, slot.entries, slot.at] = [found.bytes, found.entries, found.at];
      },
      () => {
        if (slot.opening === opening) slot.opening = undefined;
      },
    );
    return opening;
  }

  /** Aborts with the reason when `host` is lost. */
  lossOf(host: string): AbortSignal {
    const known = this.#losses.get(host) ?? new AbortController();
    this.#losses.set(host, known);
    return known.signal;
  }

  /** The host is lost: nothing waits for its carriers any more, and the next command starts others. */
  lose(host: string, error: ClawrdenError): void {
    const loss = this.#losses.get(host);
    this.#losses.delete(host);
    loss?.abort(error);
    for (const slot of this.slots) if (slot.host === host) this.drop(slot);
  }

  /** A person wants it to be free: what is exchanged with it ends with this error. */
  cut(slot: Slot, error: ClawrdenError): void {
    const { cut } = slot;
    slot.cut = new AbortController();
    cut.abort(error);
    this.drop(slot);
  }

  /** Its carrier is of no use any more. */
  drop(slot: Slot): void {
    const { opening } = slot;
    slot.opening = undefined;
    opening?.then(
      ({ session }) => session.destroy(),
      () => {},
    );
  }

  /** An exchange has made the replica what home is. */
  met(slot: Slot, home: Home): void {
    const { version, bytes, entries } = home;
    [slot.bytes, slot.entries, slot.at, slot.stuckAt] = [bytes, entries, version, undefined];
    this.homes.set(keyOf(slot), { version, bytes, entries });
  }

  /** Its carrier writes what it knows and ends; the replica stays. Resolves when the carrier is gone; never rejects. */
  async close(slot: Slot): Promise<void> {
    const replica = await taken(slot);
    if (replica !== undefined) await this.#hearOut(slot, replica);
    await replica?.end().catch(() => {});
  }

  /** What its carrier has kept since this was last called is told. */
  tellKept(slot: Slot, session: CarrierSession): void {
    const kept = session.takeLate();
    if (kept.count > 0) this.#onKeptThere(slot, kept);
  }

  async #endLeft(slot: Slot): Promise<void> {
    while (isInUse(slot) || slot.turn.load > 0) await sleep(leftLookMs, undefined, { ref: false });
    await this.close(slot);
    this.#left.delete(slot);
  }

  /** A process may have written there since the last exchange. */
  async #hearOut(slot: Slot, { session }: Replica): Promise<void> {
    try {
      await abortable(session.settle(), AbortSignal.timeout(hearWithinMs));
    } catch {
      // It does not answer in time, or is being asked: who asks it hears.
    } finally {
      // What its start told is told once.
      this.tellKept(slot, session);
    }
  }

  /** Its carrier ends, and it is removed with what it holds. Rejects while a ghost runs on it. */
  async remove(slot: Slot): Promise<void> {
    const removing = taken(slot)
      .then((replica) => replica?.end().catch(() => {}))
      .then(() => slot.engine?.removeReplica(slot));
    const ended = removing.then(
      () => {},
      () => {},
    );
    slot.removing = ended;
    try {
      await removing;
      slot.volume = { host: slot.host, agent: slot.agent };
      [slot.bytes, slot.entries, slot.at, slot.stuckAt] = [0, 0, undefined, undefined];
      [slot.taken, slot.isToCount] = [undefined, false];
    } finally {
      if (slot.removing === ended) slot.removing = undefined;
    }
  }
}

/** Its carrier, which nobody else gets from here on; `undefined` if it has none. */
async function taken(slot: Slot): Promise<Replica | undefined> {
  const { opening } = slot;
  slot.opening = undefined;
  return await opening?.catch(() => undefined);
}
