import type { Ghost, GhostShape } from '../../ports/engine.ts';
import type { DockerHost } from '../hosts/docker-host.ts';
import { able, soundFirst } from '../hosts/images.ts';
import { mayTake } from '../placement/candidates.ts';
import { Demand } from './demand.ts';

/** Ghosts of one shape that should wait, on hosts with these labels. */
export interface WarmShape {
  readonly shape: GhostShape;
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The longest run of a command in one; 0 means no limit. */
  readonly timeoutMs: number;
}

/** The number that gateway.yaml wants, however little it is used. */
export interface WarmWish extends WarmShape {
  readonly size: number;
}

export interface WarmPool extends WarmShape {
  wished: number;
  readonly demand: Demand;
  /** After a failed start: none before this time. */
  restsUntil: number;
  restMs: number;
  /** The workspace of its agent is looked at on a host; no other ghost is begun meanwhile. */
  placing: boolean;
  /** None there before that time, by the host's name. */
  readonly notOn: Map<string, number>;
}

/** The init of a waiting ghost ends itself after 10 min. */
const retiredAtMs = 8 * 60_000;
/** What was ended on a host is not begun there again at once: its workspace had to go, for example. */
const leftForMs = 10 * 60_000;
/** A replacement starts when its host has run no command for this long. */
const quietMs = 200;
const maxPools = 64;

/** One pool per shape, over all hosts: how many ghosts it wants, where the next one starts, which ones must end. */
export class WarmPools {
  readonly #hosts: readonly DockerHost[];
  readonly #pools = new Map<string, WarmPool>();

  constructor(hosts: readonly DockerHost[]) {
    this.#hosts = hosts;
  }

  get size(): number {
    return this.#pools.size;
  }

  asked(shape: WarmShape, now: number): void {
    this.#get(shape).demand.arrived(now);
  }

  /** Replaces the wishes, and forgets pools whose tag now means another image. */
  wish(wishes: readonly WarmWish[]): void {
    for (const pool of this.#pools.values()) pool.wished = 0;
    for (const wish of wishes) this.#get(wish).wished += wish.size;
    for (const [key, pool] of this.#pools) if (this.#tagMoved(pool)) this.#pools.delete(key);
  }

  clear(): void {
    this.#pools.clear();
  }

  /** What was asked for of these agents. */
  forget(agents: ReadonlySet<string>): void {
    for (const [key, { shape }] of this.#pools) if (agents.has(shape.agent)) this.#pools.delete(key);
  }

  /** Ghosts of this agent that wait on the host are the caller's to end; for 10 minutes none is started ahead there. */
  leave(agent: string, host: DockerHost, now: number): Ghost[] {
    for (const { shape, notOn } of this.#pools.values())
      if (shape.agent === agent) notOn.set(host.name, now + leftForMs);
    return host.warm.leave(agent);
  }

  /** Pools that lack ghosts and may start one now, with the number; those in gateway.yaml come first. */
  lacking(now: number): { readonly pool: WarmPool; readonly missing: number }[] {
    const all = [...this.#pools.values()].map((pool) => ({ pool, missing: this.#missing(pool, now) }));
    const due = all.filter(({ pool, missing }) => missing > 0 && now >= pool.restsUntil && !pool.placing);
    return due.sort((a, b) => Number(b.pool.wished > 0) - Number(a.pool.wished > 0));
  }

  /** The host with the fewest of them that may start one now: a refill never competes with commands. */
  hostFor(pool: WarmPool, now: number): DockerHost | undefined {
    let best: DockerHost | undefined;
    for (const host of this.#hosts) {
      if (!maySpare(host, now) || !mayWait(host, pool) || now < (pool.notOn.get(host.name) ?? 0)) continue;
      if (host.warm.size >= host.config.warm && !this.#hasSpare(host, pool)) continue;
      if (best === undefined || host.warm.count(pool.key) < best.warm.count(pool.key)) best = host;
    }
    return best;
  }

  /** A ghost that a full host gives up, so that this pool gets its first ghost there. */
  makeRoom(host: DockerHost, pool: WarmPool): Ghost | undefined {
    if (host.warm.size < host.config.warm) return undefined;
    const key = this.#sparest(host, pool);
    return key === undefined ? undefined : host.warm.claim(key);
  }

  /**
   * Ghosts that are old, belong to no pool, are more than the pool wants or their host may keep, or wait where no
   * work may go.
   */
  unwanted(host: DockerHost, now: number): Ghost[] {
    const surplus = new Map<string, number>();
    for (const pool of this.#pools.values()) surplus.set(pool.key, -this.#missing(pool, now));
    let over = host.warm.size - host.warm.coming - host.config.warm;
    return host.warm.take((key, ageMs) => {
      const pool = this.#pools.get(key);
      const left = surplus.get(key) ?? 0;
      const fits = pool !== undefined && mayWait(host, pool) && ageMs < retiredAtMs;
      if (fits && left <= 0 && over <= 0) return false;
      over -= 1;
      surplus.set(key, left - 1);
      return true;
    });
  }

  forgetIdle(now: number): void {
    for (const [key, pool] of this.#pools) if (wanted(pool, now) === 0) this.#pools.delete(key);
  }

  #get(shape: WarmShape): WarmPool {
    const known = this.#pools.get(shape.key);
    if (known !== undefined) return known;
    if (this.#pools.size >= maxPools) {
      const unwished = [...this.#pools.values()].find(({ wished }) => wished === 0);
      if (unwished !== undefined) this.#pools.delete(unwished.key);
    }
    const rests = { restsUntil: 0, restMs: 0, placing: false, notOn: new Map<string, number>() };
    const pool = { ...shape, wished: 0, demand: new Demand(), ...rests };
    this.#pools.set(shape.key, pool);
    return pool;
  }

  #missing(pool: WarmPool, now: number): number {
    return wanted(pool, now) - this.#count(pool.key);
  }

  #count(key: string): number {
    return this.#hosts.reduce((count, host) => count + host.warm.count(key), 0);
  }

  #hasSpare(host: DockerHost, pool: WarmPool): boolean {
    return this.#sparest(host, pool) !== undefined;
  }

  /**
   * The key with the most ghosts above its wish there, at least two; it makes room for a pool that has none or too
   * few.
   */
  #sparest(host: DockerHost, pool: WarmPool): string | undefined {
    const count = this.#count(pool.key);
    if (count > 0 && count >= pool.wished) return undefined;
    let best: string | undefined;
    let most = 1;
    for (const { key, wished } of this.#pools.values()) {
      const there = host.warm.waiting(key);
      const over = Math.min(there, this.#count(key) - wished);
      if (key !== pool.key && there > 1 && over > most - 1) [best, most] = [key, over + 1];
    }
    return best;
  }

  #tagMoved({ shape: { image }, labels }: WarmShape): boolean {
    const holder = soundFirst(able(this.#hosts, labels)).find(({ images }) => images.idOf(image.reference));
    return holder !== undefined && holder.images.idOf(image.reference) !== image.id;
  }
}

function wanted({ wished, demand }: WarmPool, now: number): number {
  return Math.max(wished, demand.peak(now));
}

const noHosts = new Map<DockerHost, never>();

function mayWait(host: DockerHost, { shape, key, labels }: WarmShape): boolean {
  return mayTake(host, { shape, key, labels, avoid: noHosts });
}

/** One start stays free for the next command; and while commands start, no ghost is started ahead. */
function maySpare({ starts, gate, warm, config, running, lastGrantAt }: DockerHost, now: number): boolean {
  const quiet = running === 0 || now - lastGrantAt > quietMs;
  return !starts.resting && quiet && gate.load === warm.coming && gate.load < Math.max(1, config.starts - 1);
}
