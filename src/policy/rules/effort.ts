/** How many steps one decision may take in holding patterns against arguments: some milliseconds of them. */
const mostSteps = 100_000;

/**
 * What is left of the work that one decision may cost. What cannot be told within it is not known: a strict rule then holds,
 * and no rule allows.
 */
export class Effort {
  #left: number;

  constructor(steps: number = mostSteps) {
    this.#left = steps;
  }

  /** False once there was not enough left; then for ever. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}
