import { ClawrdenError } from '../../src/errors.ts';
import { type Holder, isInUse, type Slot } from './slot.ts';

/** One command in a replica. Until its end, nothing ends the replica's carrier for rest or removes the replica. */
export class Stay {
  readonly #slot: Slot;
  #stage: 'new' | 'waiting' | 'working' | 'ended' = 'new';
  #notTakenBefore = 0;

  constructor(slot: Slot) {
    this.#slot = slot;
  }

  /** It has a ghost that mounts the replica, and waits for its turn: other exchanges may take minutes. */
  wait(): void {
    if (this.#stage !== 'new') return;
    this.#stage = 'waiting';
    this.#slot.usedAt = performance.now();
    this.#slot.commands += 1;
  }

  /**
   * Its turn has come: from now on a command waits for what appears there. True if none did before, and nothing that one
   * left works there. Throws if the command has ended.
   */
  work(): boolean {
    if (this.#stage === 'ended') throw new ClawrdenError('canceled', 'the command has ended');
    if (this.#stage === 'working') return false;
    this.#stage = 'working';
    this.#slot.working += 1;
    return this.#slot.working === 1 && this.#slot.holders.size === 0;
  }

  /** Its tool starts: what home did not take until now is not its work. */
  begin(): void {
    this.#notTakenBefore = this.#slot.notTaken;
  }

  /** What it leaves in the background of a session works on until that is gone: `isLeft` then, if nothing else works there. */
  leaveIn(session: Holder, isLeft: () => void): void {
    const { holders } = this.#slot;
    if (holders.has(session)) return;
    holders.add(session);
    void session.gone.then(() => {
      holders.delete(session);
      if (!isInUse(this.#slot)) isLeft();
    });
  }

  /** Changes that home did not take since then. A replica does not tell which of its commands made them. */
  get notTaken(): number {
    return this.#slot.notTaken - this.#notTakenBefore;
  }

  end(): void {
    this.#slot.usedAt = performance.now();
    if (this.#stage === 'waiting' || this.#stage === 'working') this.#slot.commands -= 1;
    if (this.#stage === 'working') this.#slot.working -= 1;
    this.#stage = 'ended';
  }
}
