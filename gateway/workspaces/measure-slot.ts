import { abortable, deadline } from '../../src/abort.ts';
import type { Measured } from '../../src/carrier-client/measured.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { notedOf } from './disk-room.ts';
import { isInUse, runningIn, type Slot } from './slot.ts';

/**
 * Asks the replica's carrier, in its turn, for the room on its disk; `all`: for what it takes there, too, which the slot
 * keeps. `undefined` if its carrier does not run, does not answer in time or does not know; a count that takes longer
 * goes on, and the agent's next exchange there waits for it. Never rejects.
 */
export async function measureSlot(
  slot: Slot,
  what: 'room' | 'all',
  withinMs: number,
): Promise<Measured | undefined> {
  if (slot.opening === undefined) return undefined;
  using until = deadline(withinMs, () => new ClawrdenError('canceled', 'the replica is in an exchange'));
  const asked = slot.turn.through(until.signal, async () => {
    const measured = await (await runningIn(slot))?.session.measure({ all: what === 'all' });
    if (measured !== undefined && what === 'all') keep(slot, measured);
    return measured;
  });
  try {
    return await abortable(asked, until.signal);
  } catch {
    if (what === 'all') noteUnknown(slot);
    return undefined;
  }
}

/** What it takes may be much more or less than when it was counted. */
export function isWorthCounting({ taken, bytes = 0 }: Slot, disk: Measured): boolean {
  if (taken === undefined) return true;
  const noted = notedOf(disk);
  const hasLess = disk.room < taken.disk.room - noted;
  return hasLess || taken.disk.bytes > bytes + noted || bytes > taken.lengths + noted;
}

/** It may take less than when it was counted: there is more room, and somebody used it since. */
export function hasShrunk(slot: Slot, disk: Measured): boolean {
  const { taken, usedAt } = slot;
  if (taken === undefined || !(isInUse(slot) || usedAt > taken.at)) return false;
  return disk.room > taken.disk.room + notedOf(disk);
}

/** A minute has no more counts. */
const countsKept = 8;

function keep(slot: Slot, disk: Measured, isLate = false): void {
  const { taken } = slot;
  const last = taken === undefined ? [] : [{ bytes: taken.disk.bytes, at: taken.at }, ...taken.before];
  slot.taken = {
    disk,
    isLate,
    at: performance.now(),
    lengths: slot.bytes ?? 0,
    before: last.slice(0, countsKept),
  };
  slot.isToCount = false;
}

/** It has more than can be counted in time. */
function noteUnknown(slot: Slot): void {
  if (slot.taken !== undefined) keep(slot, { ...slot.taken.disk, whole: false }, true);
}
