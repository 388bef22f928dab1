import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import {
  becomeHome,
  bringHome,
  type HomeTurn,
  isDirty,
  meetHome,
} from '../../src/carrier-client/exchange.ts';
import type { Applied } from '../../src/carrier-client/exchange-frames.ts';
import type { SyncConfig } from '../../src/config/gateway-config.ts';
import type { Replica } from '../ports/replica.ts';
import { keepLate, type Late } from './keep-late.ts';
import type { Slot } from './slot.ts';

export type Brought = Awaited<ReturnType<typeof bringHome>>;

export interface Sides {
  readonly turn: HomeTurn;
  readonly replica: Pick<Replica, 'session'>;
  readonly sync: SyncConfig;
  readonly slot: Slot;
  readonly signal: AbortSignal;
}

/** What follows each call may fail. */
export interface Hears {
  /** Home has what other commands had changed there, and what it says of that. */
  readonly applied: (applied: Applied) => void;
  /** The replica knows it, too. */
  readonly taken: (brought: Brought) => void;
  /** It is kept at home. */
  readonly late: (late: Late) => void;
  /** What is there before anything comes or goes. */
  readonly there?: (state: CarrierState) => void;
}

/** Brings the replica to where home is. Resolves with what home was. */
export async function settle(sides: Sides, isAlone: boolean, hears: Hears): Promise<CarrierState> {
  const { applied, taken, late } = hears;
  const { turn, replica, sync, slot, signal } = sides;
  const { session } = replica;
  const { conflicts, limits } = sync.carried;
  const there = await session.settle();
  hears.there?.(there);
  if (isDirty(there)) {
    // What cannot be taken is found out before the host is asked for all of it.
    await turn((home) => home.settle());
    if (isAlone) {
      // Once, however often the replica fails to become home after that: what is kept twice pushes out what was kept before.
      const kept = await keepLate(
        { turn, session, limits, signal, there, keptTree: slot.keptTree },
        (tree, found) => {
          slot.keptTree = tree;
          late(found);
        },
      );
      const { here } = await becomeHome(turn, session, { limits, there: kept });
      slot.keptTree = undefined;
      return here;
    }
    taken(await bringHome(turn, session, { conflicts, limits, there, onApplied: applied }));
    slot.keptTree = undefined;
    return (await meetHome(turn, session, { limits })).here;
  }
  const { here, exchanged } = await meetHome(turn, session, { limits, there });
  if (exchanged !== undefined) slot.keptTree = undefined;
  return here;
}
