import { setTimeout as sleep } from 'node:timers/promises';
import { keepBesideHome } from '../../src/carrier-client/exchange.ts';
import type { Applied } from '../../src/carrier-client/exchange-frames.ts';
import type { SyncConfig } from '../../src/config/gateway-config.ts';
import type { WorkspaceRefusal } from '../ports/workspace-view.ts';
import { toWorkspaceError } from './faults.ts';
import type { Homes } from './homes.ts';
import { type InReplicaParts, inReplica } from './in-replica.ts';
import type { Replicas, Slot } from './replicas.ts';
import { refusalOf, soon } from './use-now.ts';

export interface ResetParts extends InReplicaParts {
  readonly homes: Homes;
  /** Ends ghosts that wait for this agent: they have the folder of the replica. */
  readonly forget: (agent: string) => void;
}

/** A container that mounts it goes within this time after its end was asked for. */
const removeWithinMs = 15_000;
const againMs = 250;

export interface Reset {
  readonly kept: Applied | undefined;
  /** Why it is still there. */
  readonly left?: WorkspaceRefusal;
}

/** What only the replica has is kept beside home; then it is removed. `force`: also if commands are said to work in it. */
export async function resetReplica(
  slot: Slot,
  { carried }: SyncConfig,
  parts: ResetParts,
  force = false,
): Promise<{ readonly done: Reset } | WorkspaceRefusal> {
  return soon(parts.homes, slot.agent, async (signal, begun) => {
    const inTurn = () => {
      begun();
      return carried;
    };
    try {
      return await inReplica(slot, inTurn, parts, signal, async ({ session }, turn) => {
        const kept = await keepBesideHome(turn, session, { limits: carried.limits });
        // Still in the replica's turn: no command settles in between, and loses what it then wrote.
        const left = slot.working > 0 && !force ? busy(slot) : await discardReplica(slot, parts);
        return { kept, ...(left && { left }) };
      });
    } catch (error) {
      throw toWorkspaceError(error, slot.host);
    }
  });
}

/** Removes it with what only it has. */
export async function discardReplica(slot: Slot, parts: ResetParts): Promise<WorkspaceRefusal | undefined> {
  try {
    await remove(slot, parts.replicas, parts.forget);
    return undefined;
  } catch (error) {
    return refusalOf(error, slot.host);
  }
}

export function busy({ agent, host, working }: Slot): WorkspaceRefusal {
  const what = working === 1 ? 'a command works' : `${working} commands work`;
  return {
    refused: 'not-now',
    text: `${what} in the replica of agent ${agent} on ${host}: wait for the end, or end what runs with --force`,
  };
}

async function remove(slot: Slot, replicas: Replicas, forget: (agent: string) => void): Promise<void> {
  const until = performance.now() + removeWithinMs;
  for (;;) {
    forget(slot.agent);
    try {
      return await replicas.remove(slot);
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await sleep(againMs);
  }
}
