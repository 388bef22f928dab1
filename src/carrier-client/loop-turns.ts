import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** So many small frames take a few milliseconds. */
const inARow = 128;

/** Thousands of frames may be at hand at once: who goes through them lets everybody else have a turn in between. */
export class LoopTurns {
  #passed = 0;

  /** Call it for each frame. A promise is for the others. */
  next(): Promise<void> | undefined {
    this.#passed = (this.#passed + 1) % inARow;
    return this.#passed === 0 ? turnOfTheLoop() : undefined;
  }
}
