import { type CarrierState, type TakenLate, withLate } from './carrier-state.ts';

const nothing: TakenLate = { count: 0, files: [] };

/** What a carrier tells once, until somebody takes it. */
export class Told {
  #late = nothing;
  /** By looks in the background: told so far, and of that taken. */
  #missed = { told: 0, taken: 0 };

  note(state: CarrierState): void {
    this.#missed.told = state.missed;
    this.late(state);
  }

  late(files: Pick<CarrierState, 'lateCount' | 'late'>): void {
    this.#late = withLate(this.#late, files);
  }

  takeLate(): TakenLate {
    const taken = this.#late;
    this.#late = nothing;
    return taken;
  }

  takeMissed(): number {
    const { told, taken } = this.#missed;
    this.#missed.taken = told;
    return told - taken;
  }
}
