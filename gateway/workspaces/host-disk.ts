import type { Measured } from '../../src/carrier-client/measured.ts';
import { timesReserve } from './disk-room.ts';
import { RoomHistory } from './room-history.ts';
import { grownSince, type Slot } from './slot.ts';
import { UnseenRoom, unseenOf } from './unseen-room.ts';

/** What is known of the disk of one host. */
export class HostDisk {
  readonly rooms: RoomHistory;
  readonly #unseen = new UnseenRoom();
  /** While it is short: whether room went that no replica shows. */
  wentUnseen: boolean | undefined;
  /** Whose end gave room last. */
  found: Slot | undefined;

  /** `fastMs`: what goes within it is work that goes on. */
  constructor(fastMs: number) {
    this.rooms = new RoomHistory(fastMs);
  }

  /** Call while the counts of all `slots` say what is there. */
  noteUnseen(disk: Measured, slots: readonly Slot[]): void {
    this.#unseen.note(unseenOf(disk, slots));
  }

  /** In times of what has to stay free: room that went a short while ago, and that the replicas did not take. */
  goneUnseen(disk: Measured, slots: readonly Slot[]): number {
    const { most } = this.rooms;
    if (most === undefined) return 0;
    const seen = slots.reduce((sum, slot) => sum + grownSince(slot, most.at), 0);
    return timesReserve(disk, most.disk.room - disk.room - seen, 0);
  }

  /** The same of an hour, files too. */
  grownUnseen(disk: Measured, slots: readonly Slot[]): number {
    const { bytes, files } = this.#unseen.grown(unseenOf(disk, slots));
    return timesReserve(disk, bytes, files);
  }
}
