import type { Measured } from '../../src/carrier-client/measured.ts';
import { isShort } from './disk-room.ts';

interface Note {
  /** On the monotonic clock. */
  readonly at: number;
  readonly disk: Measured;
}

/** What the room on a host's disk was: for a while, and once before that, when nobody may have worked there. */
export class RoomHistory {
  readonly #keepMs: number;
  #notes: readonly Note[] = [];

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  note(disk: Measured): void {
    const now = performance.now();
    const isOld = ({ at }: Note) => now - at > this.#keepMs;
    const fresh = this.#notes.filter((note) => !isOld(note));
    this.#notes = [...this.#notes.filter(isOld).slice(-1), ...fresh, { at: now, disk }];
  }

  get last(): Measured | undefined {
    return this.#notes.at(-1)?.disk;
  }

  get wasShort(): boolean {
    return this.#notes.some(({ disk }) => isShort(disk));
  }

  /** When there was most. */
  get most(): Note | undefined {
    return this.#notes.toSorted((a, b) => b.disk.room - a.disk.room)[0];
  }
}
