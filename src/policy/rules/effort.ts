/** How many steps one decision may spend on matching patterns: some milliseconds. */
const mostSteps = 100_000;

/**
 * The remaining work of one decision. If a match cannot be decided within it, the result is unknown: a strict rule
 * then holds, and no rule allows.
 */
export class Effort {
  #left: number;

  constructor(steps: number = mostSteps) {
    this.#left = steps;
  }

  /** False once there was not enough left, and from then on always. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}
