import { setTimeout as sleep } from 'node:timers/promises';
import { abortableSleep } from '../../src/abortable-sleep.ts';
import type { SyncConfig } from '../../src/config/gateway-config.ts';
import type { WorkspaceRefusal } from '../ports/workspace-view.ts';
import { toWorkspaceError } from './faults.ts';
import type { Homes } from './homes.ts';
import { type InReplicaParts, inReplica } from './in-replica.ts';
import { type KeepWish, keepLate, type Late } from './keep-late.ts';
import type { Slot } from './slot.ts';
import { refusalOf, soon } from './use-now.ts';

export interface ResetParts extends InReplicaParts {
  readonly homes: Homes;
  /** Ends what waits there for this agent: it has the folder of the replica. */
  readonly forget: (agent: string, host: string) => void;
}

/** A container that mounts it goes within this time after its end was asked for. */
const removeWithinMs = 15_000;
const againMs = 250;

export interface Reset {
  readonly kept: Late;
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
        await endSessions(slot, parts, signal);
        const kept = await keepAll({ turn, session, signal, limits: carried.limits });
        // Still in the replica's turn: no command settles in between, and loses what it then wrote.
        const isBusy = slot.commands > 0 && !force;
        const left = isBusy ? busy(slot) : (held(slot) ?? (await discardReplica(slot, parts)));
        return { kept, ...(left && { left }) };
      });
    } catch (error) {
      throw toWorkspaceError(error, slot.host);
    }
  });
}

/** What a session without a command left in the background writes until its end. */
async function endSessions(slot: Slot, { forget }: ResetParts, signal: AbortSignal): Promise<void> {
  const until = performance.now() + removeWithinMs;
  while (slot.holders.size > 0 && slot.working === 0 && performance.now() < until) {
    forget(slot.agent, slot.host);
    await abortableSleep(againMs, signal);
  }
}

async function keepAll(wish: Omit<KeepWish, 'there'>): Promise<Late> {
  let [count, files]: [number, Late['files']] = [0, []];
  // The kernel does not tell of all that is written, and after this it is gone.
  await keepLate({ ...wish, there: await wish.session.settle({ all: true }) }, (_tree, late) => {
    count += late.count;
    files = [...files, ...late.files];
  });
  return { count, files };
}

/** Removes it with what only it has. */
export async function discardReplica(slot: Slot, parts: ResetParts): Promise<WorkspaceRefusal | undefined> {
  try {
    await remove(slot, parts);
    return undefined;
  } catch (error) {
    return refusalOf(error, slot.host);
  }
}

export function busy({ agent, host, commands }: Slot): WorkspaceRefusal {
  const what = commands === 1 ? 'a command works' : `${commands} commands work`;
  return {
    refused: 'not-now',
    text: `${what} in the replica of agent ${agent} on ${host}: wait for the end, or end what runs with --force`,
  };
}

function held({ agent, host, holders }: Slot): WorkspaceRefusal | undefined {
  if (holders.size === 0) return undefined;
  const text = `a session works in the replica of agent ${agent} on ${host}: end it with clawrden session reset ${agent}`;
  return { refused: 'not-now', text };
}

async function remove(slot: Slot, { replicas, forget }: ResetParts): Promise<void> {
  const until = performance.now() + removeWithinMs;
  for (;;) {
    forget(slot.agent, slot.host);
    try {
      return await replicas.remove(slot);
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await sleep(againMs);
  }
}
