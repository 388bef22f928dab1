import type { Measured } from '../../src/carrier-client/measured.ts';
import type { Slot } from './slot.ts';

/** Of a disk. */
export interface Load {
  readonly bytes: number;
  readonly files: number;
}

interface Piece extends Load {
  /** On the monotonic clock. */
  readonly at: number;
}

const [keepMs, pieceMs] = [60 * 60_000, 60_000];

/** What of a disk none of these replicas has, as far as they were counted. */
export function unseenOf(disk: Measured, slots: readonly Slot[]): Load {
  const used = { bytes: disk.disk - disk.room, files: disk.files - disk.freeFiles };
  return slots.reduce(
    ({ bytes, files }, { taken }) => ({
      bytes: bytes - (taken?.disk.bytes ?? 0),
      files: files - (taken?.disk.entries ?? 0),
    }),
    used,
  );
}

/**
 * What of a host's disk no replica has: what belongs to others, and files without a name. The least that it was within
 * an hour belongs to others.
 */
export class UnseenRoom {
  /** The least of each minute. */
  #pieces: readonly Piece[] = [];

  note({ bytes, files }: Load): void {
    const now = performance.now();
    const last = this.#pieces.at(-1);
    const isNew = last === undefined || now - last.at >= pieceMs;
    const piece = isNew ? { at: now, bytes, files } : { at: last.at, ...least(last, { bytes, files }) };
    const before = isNew ? this.#pieces : this.#pieces.slice(0, -1);
    this.#pieces = [...before.filter(({ at }) => now - at <= keepMs), piece];
  }

  /** How much of it came since. */
  grown(now: Load): Load {
    const own = this.#pieces.reduce(least, now);
    return { bytes: now.bytes - own.bytes, files: now.files - own.files };
  }
}

function least(a: Load, b: Load): Load {
  return { bytes: Math.min(a.bytes, b.bytes), files: Math.min(a.files, b.files) };
}
