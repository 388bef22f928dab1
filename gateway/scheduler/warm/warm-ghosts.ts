import { onAbort } from '../../../src/abort.ts';
import type { Ghost } from '../../ports/engine.ts';

interface Waiting {
  readonly key: string;
  readonly agent: string;
  readonly ghost: Ghost;
  readonly since: number;
}

/** A ghost that is being started ahead. */
export interface Coming {
  readonly key: string;
  readonly agent: string;
  /** The command that found no waiting ghost and takes this one. */
  taker?: (ghost: Ghost | undefined) => void;
  /** What it mounts has gone since, for example: no command gets it, and it ends as it comes. */
  isLeft?: boolean;
}

/** The ghosts of one host that were started ahead and wait for a plan, by the key of their shape. */
export class WarmGhosts {
  readonly #onGone: (ghost: Ghost) => void;
  readonly #waiting: Waiting[] = [];
  readonly #coming: Coming[] = [];

  /** Calls `onGone` with a ghost that died while it waited, or that comes and was left. */
  constructor(onGone: (ghost: Ghost) => void) {
    this.#onGone = onGone;
  }

  /** Ghosts that wait, and ghosts that are being started. */
  get size(): number {
    return this.#waiting.length + this.#coming.length;
  }

  /** Ghosts that are being started. */
  get coming(): number {
    return this.#coming.length;
  }

  has(key: string): boolean {
    return this.#waiting.some((waiting) => waiting.key === key);
  }

  /** Ghosts of one shape whose init is ready. */
  waiting(key: string): number {
    let count = 0;
    for (const waiting of this.#waiting) if (waiting.key === key) count += 1;
    return count;
  }

  /** Ghosts of one shape that no command has claimed: waiting, or being started. */
  count(key: string): number {
    let count = this.waiting(key);
    for (const coming of this.#coming) if (isFree(coming, key)) count += 1;
    return count;
  }

  /** The living one that has waited longest; from now on it belongs to the caller alone. */
  claim(key: string): Ghost | undefined {
    for (;;) {
      const waiting = this.#waiting.find((other) => other.key === key);
      if (waiting === undefined) return undefined;
      remove(this.#waiting, waiting);
      if (waiting.ghost.session.alive) return waiting.ghost;
      this.#onGone(waiting.ghost);
    }
  }

  /**
   * The next one that is being started and for which no other command waits. Resolves with `undefined` if its start
   * fails; rejects with the signal's reason, and then leaves the ghost to others.
   */
  claimComing(key: string, signal: AbortSignal): Promise<Ghost | undefined> | undefined {
    const coming = this.#coming.find((other) => isFree(other, key));
    if (coming === undefined) return undefined;
    const taken = Promise.withResolvers<Ghost | undefined>();
    coming.taker = taken.resolve;
    const listening = onAbort(signal, () => {
      delete coming.taker;
      taken.reject(signal.reason);
    });
    return taken.promise.finally(() => listening[Symbol.dispose]());
  }

  /** A start ahead has begun; `arrived` or `failed` follows. */
  expect(key: string, agent: string): Coming {
    const coming = { key, agent };
    this.#coming.push(coming);
    return coming;
  }

  arrived(coming: Coming, ghost: Ghost): void {
    remove(this.#coming, coming);
    if (coming.isLeft === true) this.#onGone(ghost);
    else if (coming.taker !== undefined) coming.taker(ghost);
    else this.#keep(coming, ghost);
  }

  failed(coming: Coming): void {
    remove(this.#coming, coming);
    coming.taker?.(undefined);
  }

  /** No command gets one of this agent that waits or comes now, or of any. The caller must end those that wait. */
  leave(of?: string): Ghost[] {
    const isOf = ({ agent }: Pick<Coming, 'agent'>) => of === undefined || agent === of;
    for (const coming of this.#coming.filter(isOf)) {
      coming.isLeft = true;
      // Its command starts one of its own.
      coming.taker?.(undefined);
    }
    return this.#takeThose(isOf);
  }

  /** The oldest first. If `unwanted` says true for a ghost, the caller must end it. */
  take(unwanted: (key: string, ageMs: number) => boolean): Ghost[] {
    const now = performance.now();
    return this.#takeThose(({ key, since }) => unwanted(key, now - since));
  }

  #takeThose(are: (waiting: Waiting) => boolean): Ghost[] {
    const taken = this.#waiting.filter(are);
    for (const waiting of taken) remove(this.#waiting, waiting);
    return taken.map(({ ghost }) => ghost);
  }

  #keep({ key, agent }: Coming, ghost: Ghost): void {
    const waiting = { key, agent, ghost, since: performance.now() };
    this.#waiting.push(waiting);
    void ghost.session.untilBroken().then(() => {
      if (remove(this.#waiting, waiting)) this.#onGone(ghost);
    });
  }
}

function isFree({ key, taker, isLeft }: Coming, wanted: string): boolean {
  return key === wanted && taker === undefined && isLeft !== true;
}

function remove<T>(items: T[], item: T): boolean {
  const at = items.indexOf(item);
  if (at !== -1) items.splice(at, 1);
  return at !== -1;
}
