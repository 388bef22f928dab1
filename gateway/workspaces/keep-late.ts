import { abortableSleep } from '../../src/abortable-sleep.ts';
import { CarrierError } from '../../src/carrier-client/carrier-error.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import { type HomeTurn, isDirty, keepBesideHome } from '../../src/carrier-client/exchange.ts';
import type { Applied, Refused } from '../../src/carrier-client/exchange-frames.ts';
import type { CarrierLimits } from '../../src/carrier-client/hello.ts';

/** What was found in a replica that no command waits for. */
export interface Late {
  readonly count: number;
  readonly files: readonly Refused[];
}

export interface KeepWish {
  readonly turn: HomeTurn;
  readonly session: CarrierSession;
  readonly limits: CarrierLimits;
  readonly signal: AbortSignal;
  /** What the replica was when it was last asked. */
  readonly there: CarrierState;
  /** The id of its tree when what it had was kept before. */
  readonly keptTree?: string | undefined;
}

/** What ends with its ghost has ended by then. */
const againMs = [50, 200, 800];

/**
 * Keeps beside home what only the replica has, until nothing of it is new. Resolves with what the replica is then. Throws
 * `unstable` if something goes on writing there.
 */
export async function keepLate(
  { turn, session, limits, signal, there: first, keptTree }: KeepWish,
  onKept: (tree: string, late: Late) => void,
): Promise<CarrierState> {
  let [there, kept] = [first, keptTree];
  for (const pause of againMs) {
    if (!isDirty(there) || there.tree === kept) return there;
    const found = await keepBesideHome(turn, session, { limits, there }).catch(unlessUnstable);
    if (found === undefined) await abortableSleep(pause, signal);
    else {
      kept = there.tree;
      onKept(kept, { count: found.refusedCount, files: found.refused });
    }
    there = await session.settle();
  }
  if (!isDirty(there) || there.tree === kept) return there;
  throw new CarrierError('unstable', 'something writes there, and no command does', { role: 'replica' });
}

function unlessUnstable(error: unknown): Applied | undefined {
  if (error instanceof CarrierError && error.code === 'unstable') return undefined;
  throw error;
}
