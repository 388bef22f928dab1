import { pino } from 'pino';
import type { Measured } from '../../src/carrier-client/measured.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import type { Replica, ReplicaHost } from '../ports/replica.ts';
import { LeftOut, type LeftOutTold } from './left-out.ts';
import { Replicas } from './replicas.ts';
import { limits, never, of, pass } from './retire.fixture.ts';
import type { Slot } from './slot.ts';
import { DiskWatch } from './watch-disks.ts';

/** Of a disk of 1000 that has to have 50 free. */
interface Held {
  /** That can be seen. */
  seen: number;
  /** Of that; all if absent. */
  carried?: number;
  unseen?: number;
  whole?: boolean;
  /** Names, of a disk of 1000 that has to have 50 free, too. */
  entries?: number;
  /** Of these; all if absent. */
  carriedEntries?: number;
  /** To count all of it takes so long. */
  countMs?: number;
}

export async function started(held: Record<string, Held>, outside = 0) {
  const [stopped, removed, told]: [string[], string[], LeftOutTold[]] = [[], [], []];
  const away = new Map<string, string>();
  const discarded: string[] = [];
  const counts = { all: 0 };
  const hooks = { onStop: () => {} };
  const replicas = new Replicas();
  replicas.attach('build-1', fakeHost(held, outside, counts));
  const slots: Record<string, Slot> = {};
  for (const name of Object.keys(held)) {
    const slot = replicas.slot('build-1', of(name));
    await replicas.open(slot, { limits, excludes: [] }, never);
    slots[name] = slot;
  }
  const leftOut = new LeftOut((each) => void told.push(each));
  const gone = async ({ agent: name }: Slot) => {
    removed.push(name);
    held[name] = { seen: 0 };
    return undefined;
  };
  const disks = new DiskWatch({
    ...{ replicas, leftOut, forget: () => {}, log: pino({ level: 'silent' }) },
    stop: async (slot, why: ClawrdenError) => {
      stopped.push(`${slot.agent} ${why.code}`);
      slot.commands = 0;
      held[slot.agent] = { seen: 0, ...held[slot.agent], unseen: 0 };
      hooks.onStop();
    },
    evict: async (slot) => away.get(slot.agent) ?? gone(slot),
    discard: gone,
    onDiscarded: ({ agent }) => void discarded.push(agent),
  });
  const use = async (...names: string[]) => {
    for (const name of names) {
      await pass(10);
      Object.assign(slots[name] ?? {}, { commands: 1, usedAt: performance.now() });
    }
  };
  const lists = { stopped, removed, told, discarded };
  return { replicas, slots, disks, leftOut, held, use, away, counts, hooks, ...lists };
}

/** Of a clock that a test sets. */
const pause = (ms: number) => (ms === 0 ? undefined : new Promise((resolve) => void setTimeout(resolve, ms)));

function fakeHost(held: Record<string, Held>, outside: number, counts: { all: number }): ReplicaHost {
  const takes = ({ seen, unseen = 0 }: Held) => seen + unseen;
  const disk = (name: string, all: boolean): Measured => {
    counts.all += Number(all);
    const room = 1000 - outside - Object.values(held).reduce((sum, each) => sum + takes(each), 0);
    const {
      seen,
      carried = seen,
      whole = true,
      entries = 0,
      carriedEntries = entries,
    } = held[name] ?? { seen: 0 };
    const freeFiles = 1000 - Object.values(held).reduce((sum, each) => sum + (each.entries ?? 0), 0);
    const free = { room: Math.max(0, room), disk: 1000, freeFiles, files: 1000 };
    const counted = { bytes: seen, entries, carriedBytes: carried, carriedEntries, whole };
    const none = { bytes: 0, entries: 0, carriedBytes: 0, carriedEntries: 0, whole: true };
    return { ...free, ...(all ? counted : none) };
  };
  return {
    openReplica: async ({ agent: name }) => {
      const found = { bytes: 0, entries: 0, at: { epoch: 1n, seq: 1n } };
      const measure = async ({ all = false }) => {
        if (all) await pause(held[name]?.countMs ?? 0);
        return disk(name, all);
      };
      const session = { measure };
      return { alive: () => true, found, session } as unknown as Replica;
    },
    replicas: async () => [],
    removeReplica: async () => true,
  };
}
