import { abortable } from '../../src/abort.ts';
import type { HomeTurn } from '../../src/carrier-client/exchange.ts';
import type { SyncConfig } from '../../src/config/gateway-config.ts';
import type { Replica } from '../ports/replica.ts';
import { isUsable, ReplicaUnreachable } from './faults.ts';
import type { HomeTurns } from './home-turns.ts';
import type { Replicas } from './replicas.ts';
import type { Slot } from './slot.ts';

export interface InReplicaParts {
  readonly replicas: Replicas;
  readonly turns: HomeTurns;
}

/**
 * Does `work` with a replica while nothing else does. Home's turn is taken inside of it and never around it: what takes
 * long on one host holds up no other. What was cut, or went wrong there, ends its carrier.
 */
export async function inReplica<T>(
  slot: Slot,
  carried: () => SyncConfig['carried'],
  { replicas, turns }: InReplicaParts,
  signal: AbortSignal,
  work: (replica: Replica, turn: HomeTurn) => Promise<T>,
): Promise<T> {
  const lost = replicas.lossOf(slot.host);
  const stopped = AbortSignal.any([signal, lost, slot.cut.signal]);
  return await slot.turn.through(stopped, async () => {
    const replica = await replicas
      .open(slot, carried(), stopped, 'as asked')
      .catch((error: unknown) => Promise.reject(turns.leftOut.blamed(slot, error)));
    const turn: HomeTurn = (atHome) => turns.take(slot, replica.session, atHome, signal, lost);
    try {
      return await abortable(work(replica, turn), stopped);
    } catch (error) {
      const told = turns.leftOut.blamed(slot, error);
      const isGivenUp = stopped.aborted || told instanceof ReplicaUnreachable;
      // What was cut may still be on its way.
      if (isGivenUp || !isUsable(replica.session, 'replica', error)) replicas.drop(slot);
      throw told;
    } finally {
      replicas.tellKept(slot, replica.session);
    }
  });
}
