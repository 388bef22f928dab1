import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import {
  becomeHome,
  bringHome,
  keepBesideHome,
  sameVersion,
  sendOut,
  settleBoth,
} from '../../src/carrier-client/exchange.ts';
import type { Refused } from '../../src/carrier-client/exchange-frames.ts';
import type { SyncConfig } from '../../src/config/gateway-config.ts';
import type { Replica } from '../ports/replica.ts';
import type { Slot } from './replicas.ts';

export type Brought = Awaited<ReturnType<typeof bringHome>>;
/** What was found there that no command waits for. */
export interface Late {
  readonly count: number;
  readonly files: readonly Refused[];
}

export interface Sides {
  readonly home: CarrierSession;
  readonly replica: Pick<Replica, 'session'>;
  readonly sync: SyncConfig;
  readonly slot: Slot;
}

/** Both are called as soon as it is at home: what follows may fail. */
export interface Hears {
  /** What other commands had changed there was brought home. */
  readonly taken: (brought: Brought) => void;
  readonly late: (late: Late) => void;
}

/** Brings the replica to where home is. Resolves with what home was. */
export async function settle(sides: Sides, isAlone: boolean, { taken, late }: Hears): Promise<CarrierState> {
  const { home, replica, sync, slot } = sides;
  const { session } = replica;
  const [here, there] = await settleBoth(home, session);
  if (there.dirty === 0 && sameVersion(here.version, there.at)) return here;
  const isNew = there.at.epoch === 0n && there.entries <= 1;
  const isDirty = there.dirty > 0 && !isNew;
  if (isDirty && isAlone) {
    await keepLate(sides, there, late);
    await becomeHome(home, session);
    return here;
  }
  slot.keptTree = undefined;
  if (!isDirty) {
    await sendOut(home, session, { states: [here, there] });
    return here;
  }
  taken(await bringHome(home, session, { conflicts: sync.carried.conflicts }));
  await sendOut(home, session);
  return here;
}

/** Once, however often the replica fails to become home after that: what is kept twice pushes out what was kept before. */
async function keepLate(
  { home, replica, slot }: Sides,
  { tree }: CarrierState,
  late: Hears['late'],
): Promise<void> {
  if (slot.keptTree === tree) return;
  const kept = await keepBesideHome(home, replica.session);
  slot.keptTree = tree;
  if (kept !== undefined) late({ count: kept.refusedCount, files: kept.refused });
}
