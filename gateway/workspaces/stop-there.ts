import { setTimeout as sleep } from 'node:timers/promises';
import type { ClawrdenError } from '../../src/errors.ts';
import { type Ledger, stopOn } from '../execution/ledger.ts';
import type { Replicas } from './replicas.ts';
import type { Slot } from './slot.ts';

export interface StopThereParts {
  readonly ledger: Pick<Ledger, 'executions'>;
  readonly replicas: Pick<Replicas, 'cut'>;
}

/** A container ends before that, or its engine does not answer. */
const stoppedWithinMs = 20_000;
/** What a stopped command wrote and is not at home by then is kept, or lost if that is asked for. */
const exchangedWithinMs = 3_000;
const lookEveryMs = 100;

/**
 * Ends the agent's commands on the host. What is exchanged with it ends, too, if it does not come to an end soon. Resolves
 * when nothing works in the replica, or after 20 s; never rejects.
 */
export async function stopThere(
  slot: Slot,
  why: ClawrdenError,
  { ledger, replicas }: StopThereParts,
): Promise<void> {
  stopOn(ledger, slot, why);
  const began = performance.now();
  const since = () => performance.now() - began;
  while (slot.turn.load > 0 || slot.working > 0) {
    if (since() > stoppedWithinMs) return;
    if (since() > exchangedWithinMs) replicas.cut(slot, why);
    await sleep(lookEveryMs);
  }
}
