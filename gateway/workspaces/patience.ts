import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';

type Allowance = 'any' | 'some' | 'little';

const lookEveryMs = 200;
/** How long a replica is waited for while others wait for the same home: at first, for each MiB that moves, and at most. */
const allowed = {
  some: { firstMs: 3_000, mostMs: 60_000 },
  little: { firstMs: 1_000, mostMs: 5_000 },
} as const;
const msPerByte = 1_000 / 1024 ** 2;

/**
 * Ends the session of a replica that is waited for too long, as long as it is not disposed of. That it says that it works,
 * or sends little at a time, does not count: the bytes that move do.
 */
export class Patience implements Disposable {
  readonly #replica: Pick<CarrierSession, 'waitedMs' | 'movedBytes' | 'destroy'>;
  readonly #allowance: () => Allowance;
  readonly #timer: NodeJS.Timeout;
  readonly #movedBefore: number;
  #waitedBefore: number;
  #heldMs = 0;
  isOver = false;

  constructor(
    replica: Pick<CarrierSession, 'waitedMs' | 'movedBytes' | 'destroy'>,
    allowance: () => Allowance,
  ) {
    this.#replica = replica;
    this.#allowance = allowance;
    [this.#waitedBefore, this.#movedBefore] = [replica.waitedMs, replica.movedBytes];
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { waitedMs, movedBytes } = this.#replica;
    const allowance = this.#allowance();
    if (allowance !== 'any') this.#heldMs += waitedMs - this.#waitedBefore;
    this.#waitedBefore = waitedMs;
    if (allowance === 'any' || this.isOver) return;
    const { firstMs, mostMs } = allowed[allowance];
    const forBytesMs = (movedBytes - this.#movedBefore) * msPerByte;
    if (this.#heldMs <= Math.min(firstMs + forBytesMs, mostMs)) return;
    this.isOver = true;
    this.#replica.destroy();
  }
}
