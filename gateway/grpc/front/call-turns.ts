/** One call that waits to be handed on. */
export interface WaitingCall {
  /** A time of `performance.now()`. */
  readonly since: number;
  readonly pass: () => void;
  readonly refuse: (why: string) => void;
}

/** A peer that makes calls, or a kind of its calls. */
export interface Turned {
  /** Calls that are handed on in one turn. */
  readonly perTurn: number;
  /** Whether another call may be handed on now. */
  readonly mayPass: () => boolean;
}

/**
 * Hands calls on in turns of the event loop, so many of each peer in one turn: a peer that brings a thousand at once
 * delays no other peer. The calls of one peer keep their order.
 */
export class CallTurns<T extends Turned> {
  readonly #longestMs: number;
  readonly #turn: () => void;
  readonly #waiting = new Map<T, Set<WaitingCall>>();
  /** In this turn. */
  readonly #passed = new Map<T, number>();
  /** When a call of a peer with waiting calls was last handed on. */
  readonly #movedAt = new Map<T, number>();
  #scheduled = false;

  constructor(longestMs: number, guard: (turn: () => void) => () => void) {
    this.#longestMs = longestMs;
    this.#turn = guard(() => this.#takeTurn());
  }

  /** Call what it returns when the call is closed: a line keeps no call that is over, nor what came for it. */
  add(peer: T, call: WaitingCall): () => void {
    const waiting = this.#waiting.get(peer);
    if (waiting !== undefined) waiting.add(call);
    else if (this.#hasRoom(peer)) this.#pass(peer, call);
    else this.#waiting.set(peer, new Set([call]));
    this.goOn();
    return () => void this.#waiting.get(peer)?.delete(call);
  }

  /** Call this when something has changed for waiting calls. */
  goOn(): void {
    if (this.#scheduled || (this.#waiting.size === 0 && this.#passed.size === 0)) return;
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  /**
   * Refuses calls that have waited too long in a line that stands still: if it moves, only this process is slow. Call
   * it from time to time.
   */
  tidy(): void {
    const latest = performance.now() - this.#longestMs;
    for (const [peer, waiting] of this.#waiting) {
      const isMoving = (this.#movedAt.get(peer) ?? 0) > latest;
      for (const call of isMoving ? [] : waiting) {
        if (call.since > latest) break;
        waiting.delete(call);
        call.refuse(`it waited ${this.#longestMs / 1000} s in a line that stands still`);
      }
      if (waiting.size === 0) this.#forget(peer);
    }
  }

  #takeTurn(): void {
    this.#scheduled = false;
    this.#passed.clear();
    for (const [peer, waiting] of this.#waiting) {
      for (const call of waiting) {
        if (!this.#hasRoom(peer)) break;
        waiting.delete(call);
        this.#movedAt.set(peer, performance.now());
        this.#pass(peer, call);
      }
      if (waiting.size === 0) this.#forget(peer);
    }
    // If no call may be handed on, the next change continues.
    if (this.#passed.size > 0) this.goOn();
  }

  #forget(peer: T): void {
    this.#waiting.delete(peer);
    this.#movedAt.delete(peer);
  }

  #pass(peer: T, call: WaitingCall): void {
    this.#passed.set(peer, (this.#passed.get(peer) ?? 0) + 1);
    call.pass();
  }

  #hasRoom(peer: T): boolean {
    return (this.#passed.get(peer) ?? 0) < peer.perTurn && peer.mayPass();
  }
}
