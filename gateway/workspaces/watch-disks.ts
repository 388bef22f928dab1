import type { Logger } from 'pino';
import { abortable } from '../../src/abort.ts';
import type { Measured } from '../../src/carrier-client/measured.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { sizeText } from '../../src/text/size-text.ts';
import type { WorkspaceRefusal } from '../ports/workspace-view.ts';
import { isShort, reserveOf, shortText, timesReserve } from './disk-room.ts';
import { keyOf } from './home-of.ts';
import { HostDisk } from './host-disk.ts';
import { HostLooks } from './host-looks.ts';
import type { LeftOut } from './left-out.ts';
import { hasShrunk, isWorthCounting, measureSlot } from './measure-slot.ts';
import type { Replicas } from './replicas.ts';
import { isInUse, type Slot } from './slot.ts';

export interface WatchDisksParts {
  readonly replicas: Replicas;
  readonly leftOut: LeftOut;
  /** Ends what works in the replica. Never rejects. */
  readonly stop: (slot: Slot, why: ClawrdenError) => Promise<void>;
  /** Ends what waits there for this agent, and its sessions. */
  readonly forget: (agent: string, host: string) => void;
  /** Keeps beside home what only the replica has, and removes it then. Resolves with why it stays; never rejects. */
  readonly evict: (slot: Slot) => Promise<string | undefined>;
  /** Removes it with what only it has. The same. */
  readonly discard: (slot: Slot) => Promise<WorkspaceRefusal | undefined>;
  /** What only the replica had is lost: it could not be kept. */
  readonly onDiscarded: (slot: Slot, text: string) => void;
  readonly log: Logger;
  /** A test shortens them. */
  readonly times?: Partial<WatchTimes>;
}

/** In milliseconds. */
export interface WatchTimes {
  readonly lookEvery: number;
  /** A carrier that is in an exchange is asked the next time. */
  readonly room: number;
  /** To count all that is in a replica; one that takes longer is not known. */
  readonly count: number;
  /** A replica is counted no sooner again while there is room, */
  readonly countAgain: number;
  /** nor while there is none, unless there is less than then. */
  readonly countShort: number;
  /** What takes longer to go is not waited for before others have to. */
  readonly leave: number;
  /** What fills a disk unseen within this time is work that goes on. */
  readonly fast: number;
  /** A replica that could not go, and work that ended without giving room, is not tried again before. */
  readonly again: number;
}

const defaults: WatchTimes = {
  lookEvery: 2000,
  room: 1000,
  count: 30_000,
  countAgain: 15_000,
  countShort: 15_000,
  leave: 60_000,
  fast: 60_000,
  again: 10 * 60_000,
};

/**
 * Looks at the disks of Docker hosts while agents use them, and makes room on those that are nearly full: what a tool
 * writes has no limit but the disk, which all agents of a host share. First goes what takes most there that its home has
 * not; if nothing that can be seen is enough, what works there ends one after another until there is room.
 */
export class DiskWatch {
  readonly #parts: WatchDisksParts;
  readonly #times: WatchTimes;
  readonly #looks: HostLooks;
  readonly #disks = new Map<string, HostDisk>();
  /** Whose work ended without its being known that it takes the room, and when. */
  readonly #tried = new WeakMap<Slot, number>();
  /** What goes, and since when. */
  readonly #leaving = new Map<Slot, { readonly since: number; readonly gone: Promise<void> }>();

  constructor(parts: WatchDisksParts) {
    this.#parts = parts;
    this.#times = { ...defaults, ...parts.times };
    this.#looks = new HostLooks(
      this.#times.lookEvery,
      () => parts.replicas.hosts,
      (host) =>
        this.#look(host).catch((error: unknown) => {
          parts.log.warn({ host, why: String(error) }, 'how full the disk of a Docker host is was not seen');
        }),
    );
  }

  async stop(): Promise<void> {
    await this.#looks.stop();
    await Promise.all([...this.#leaving.values()].map(({ gone }) => gone));
  }

  /** Empty if the host's disk has room, as far as it was looked at. */
  problem(host: string): string {
    const last = this.#disks.get(host)?.rooms.last;
    return last !== undefined && isShort(last) ? shortText(host, last) : '';
  }

  async #look(host: string): Promise<void> {
    const here = this.#on(host);
    const seen = await Promise.all(here.filter((slot) => isToSee(slot)).map((slot) => this.#see(slot)));
    const [least] = seen.flatMap((disk) => disk ?? []).sort((a, b) => a.room - b.room);
    if (least === undefined) return;
    const disk = this.#diskOf(host);
    const { last, wasShort } = disk.rooms;
    disk.rooms.note(least);
    // Once a minute may be a tool that is told so and ends.
    if (isShort(least)) return wasShort ? this.#makeRoom(host, least) : undefined;
    disk.wentUnseen = undefined;
    // The room that there was when they were counted says nothing any more.
    if (last !== undefined && isShort(last)) for (const slot of here) slot.isToCount = true;
    const due = here.find((slot) => slot.isToCount && this.#mayCount(slot));
    if (due !== undefined) await this.#count(due);
    this.#noteUnseen(host, least);
  }

  /** While the counts say what is there, and do not tell of more. */
  #noteUnseen(host: string, disk: Measured): void {
    const all = this.#allOn(host);
    const isKnown = ({ taken, removing }: Slot) => taken !== undefined && removing === undefined;
    if (all.every((slot) => isKnown(slot) && !hasShrunk(slot, disk) && !this.#leaving.has(slot)))
      this.#diskOf(host).noteUnseen(disk, all);
  }

  #allOn(host: string): readonly Slot[] {
    return this.#parts.replicas.slots.filter((slot) => slot.host === host);
  }

  #on(host: string): readonly Slot[] {
    return this.#allOn(host).filter((slot) => !this.#leaving.has(slot));
  }

  #mayCount({ taken }: Slot): boolean {
    return taken === undefined || performance.now() - taken.at >= this.#times.countAgain;
  }

  /** `undefined` if its carrier does not run, or is in an exchange. */
  async #see(slot: Slot): Promise<Measured | undefined> {
    const { usedAt } = slot;
    const disk = await measureSlot(slot, 'room', this.#times.room);
    if (disk === undefined) return undefined;
    slot.seenAt = Math.max(usedAt, slot.seenAt);
    slot.isToCount ||= isWorthCounting(slot, disk);
    return disk;
  }

  async #count(slot: Slot): Promise<void> {
    await measureSlot(slot, 'all', this.#times.count);
  }

  #diskOf(host: string): HostDisk {
    const disk = this.#disks.get(host) ?? new HostDisk(this.#times.fast);
    this.#disks.set(host, disk);
    return disk;
  }

  async #makeRoom(host: string, disk: Measured): Promise<void> {
    if (this.#isMaking(host)) return;
    const here = this.#on(host);
    const unknown = here.filter((slot) => this.#isChanged(slot, disk));
    await Promise.all(unknown.map((slot) => this.#count(slot)));
    const mayGo = here.filter(({ stuckAt }) => this.#mayTry(stuckAt));
    const [most] = mayGo.sort((a, b) => this.#beyondHome(b, disk) - this.#beyondHome(a, disk));
    const beyond = most === undefined ? 0 : this.#beyondHome(most, disk);
    const of = this.#diskOf(host);
    const gone = of.goneUnseen(disk, here);
    // What can be seen may have been there while there was room: it does not go for what another hides.
    const unseen = Math.max(gone, of.grownUnseen(disk, this.#allOn(host)));
    const isHidden = unseen >= Math.max(beyond, 1);
    of.wentUnseen ??= gone >= 1 || (isHidden && beyond >= 1);
    // There any amount may be.
    const opaque = mayGo.find(({ taken }) => taken?.isLate === false && !taken.disk.whole);
    if (opaque !== undefined && isHidden) return this.#remove(opaque, disk);
    const suspect = beyond < 1 || isHidden ? this.#suspectOf(host) : undefined;
    if (suspect !== undefined) await this.#endWork(suspect, disk);
    else if (most !== undefined && beyond >= 1) this.#remove(most, disk);
  }

  /** Something goes that was found to take the room. */
  #isMaking(host: string): boolean {
    const now = performance.now();
    return [...this.#leaving].some(
      ([slot, { since }]) => slot.host === host && now - since < this.#times.leave,
    );
  }

  /** It may take more than when it was counted. What nobody used since then does not. */
  #isChanged(slot: Slot, disk: Measured): boolean {
    const { taken, usedAt } = slot;
    if (taken === undefined) return true;
    if (!isInUse(slot) && usedAt < taken.at) return false;
    const hasLess = taken.disk.room - disk.room > reserveOf(disk).bytes / 2;
    return hasLess || performance.now() - taken.at >= this.#times.countShort;
  }

  #mayTry(triedAt: number | undefined): boolean {
    return triedAt === undefined || performance.now() - triedAt >= this.#times.again;
  }

  /** What the replica takes that its home has not, in times of what has to stay free. */
  #beyondHome(slot: Slot, disk: Measured): number {
    const { taken } = slot;
    if (taken === undefined) return 0;
    const home = this.#parts.replicas.homes.get(keyOf(slot)) ?? slot;
    // A home may have holes, and more than the replica.
    const bytes = Math.min(home.bytes ?? 0, taken.disk.carriedBytes);
    const entries = Math.min(home.entries ?? 0, taken.disk.carriedEntries);
    return timesReserve(disk, taken.disk.bytes - bytes, taken.disk.entries - entries);
  }

  /**
   * Of those that work there one that may take the room unseen: in a file that has no name any more, or too deep to be
   * counted. Who was found so before comes first, and then who came last; nobody twice in ten minutes without being found.
   */
  #suspectOf(host: string): Slot | undefined {
    const here = this.#on(host).filter((slot) => isInUse(slot));
    this.#clear(host, here);
    const suspects = here.filter(
      (slot) =>
        this.#mayTry(this.#tried.get(slot)) &&
        (this.#diskOf(host).wentUnseen === true || slot.taken?.disk.whole !== true),
    );
    const { leftOut } = this.#parts;
    const times = (slot: Slot) => Number(leftOut.hasFilled(slot));
    return suspects.sort((a, b) => times(b) - times(a) || b.usedAt - a.usedAt)[0];
  }

  /** Who was found last does not work there, and the room is gone again: it was another, who gave it back at that moment. */
  #clear(host: string, here: readonly Slot[]): void {
    const disk = this.#diskOf(host);
    const { found } = disk;
    if (found === undefined || here.includes(found)) return;
    disk.found = undefined;
    this.#tried.set(found, performance.now());
    this.#parts.leftOut.forgive(found);
  }

  /** What works in it ends, and then it goes, while others are looked at. */
  #remove(slot: Slot, disk: Measured): void {
    const takes = sizeText(slot.taken?.disk.bytes ?? 0);
    const text = `${shortText(slot.host, disk)}, and the workspace of agent ${slot.agent} takes ${takes} there`;
    this.#parts.leftOut.filled(slot, text);
    const left = this.#stopWork(slot, text).then(() => this.#leave(slot));
    const gone = left.finally(() => this.#leaving.delete(slot));
    this.#leaving.set(slot, { since: performance.now(), gone });
  }

  /** What cannot be kept is lost: else an agent could make its replica one that nothing removes. */
  async #leave(slot: Slot): Promise<void> {
    const { evict, discard, onDiscarded, log } = this.#parts;
    const { host, agent } = slot;
    const why = await evict(slot);
    const left = why === undefined ? undefined : await discard(slot);
    if (left !== undefined) {
      slot.stuckAt = performance.now();
      log.warn({ host, agent, why: left.text }, 'a replica that fills the disk of a Docker host cannot go');
      return;
    }
    if (why !== undefined) onDiscarded(slot, why);
    log.info({ host, agent }, 'a replica of a workspace made room on a disk that was nearly full');
  }

  async #endWork(slot: Slot, disk: Measured): Promise<void> {
    const { host, agent } = slot;
    const short = shortText(host, disk);
    const room = async () => (await measureSlot(slot, 'room', this.#times.room))?.room;
    const before = (await room()) ?? disk.room;
    await this.#stopWork(
      slot,
      `${short}, and what takes the room is in no workspace: work there ends one by one`,
    );
    const gained = ((await room()) ?? before) - before;
    if (gained < reserveOf(disk).bytes / 2) return void this.#tried.set(slot, performance.now());
    this.#diskOf(host).found = slot;
    this.#parts.leftOut.filled(slot, `${short}, and work of agent ${agent} took it`);
  }

  async #stopWork(slot: Slot, text: string): Promise<void> {
    const { stop, forget, log } = this.#parts;
    const { host, agent } = slot;
    log.warn({ host, agent }, text);
    forget(agent, host);
    await stop(slot, new ClawrdenError('workspace-full', text));
    forget(agent, host);
    const gone = Promise.all([...slot.holders].map((holder) => holder.gone));
    await abortable(gone, AbortSignal.timeout(this.#times.count)).catch(() => {});
  }
}

/** It is used, or was since it was last seen. */
function isToSee(slot: Slot): boolean {
  return isInUse(slot) || slot.usedAt > slot.seenAt || slot.isToCount;
}
