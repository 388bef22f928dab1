import { execFileSync } from 'node:child_process';
import {
  closeSync,
  futimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { BetweenSteps } from './between-steps.ts';
import { CarrierProcess, makePlace, type Place } from './carrier-process.ts';
import { isRoot } from './jailed-place.ts';

/** A disk of 100 files, gone at the end. */
class SmallDisk implements Disposable {
  readonly folder = mkdtempSync('/var/tmp/clawrden-small-');

  constructor() {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=100', 'none', this.folder]);
    mkdirSync(join(this.folder, 'others'));
  }

  /** No file more can be made. */
  fill(): void {
    for (let file = 0; ; file++)
      try {
        writeFileSync(join(this.folder, 'others', `${file}`), '');
      } catch {
        return;
      }
  }

  makeRoom(files: number): void {
    for (let file = 0; file < files; file++) rmSync(join(this.folder, 'others', `${file}`));
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}

/** Slow enough that the disk is filled within the first minute. */
const haste = 20;
const minute = 60_000 / haste;

/** A home whose minutes last no longer than `minute`, on the small disk, and a replica elsewhere. */
class SmallHome implements AsyncDisposable {
  readonly disk = new SmallDisk();
  readonly place: Place = makePlace(this.disk.folder);
  readonly #elsewhere = makePlace();
  readonly there = this.#elsewhere.root;
  readonly #steps = [new BetweenSteps(this.place.folder), new BetweenSteps(this.#elsewhere.folder)] as const;
  home!: CarrierProcess;
  replica!: CarrierProcess;

  static async start(): Promise<SmallHome> {
    const all = new SmallHome();
    const [here, there] = all.#steps;
    const hasty = [...here.wrapper, `CLAWRDEN_HASTE=${haste}`];
    all.home = await CarrierProcess.start(BetweenSteps.carrier, all.place, {}, hasty);
    const role = { role: 'replica' } as const;
    all.replica = await CarrierProcess.start(BetweenSteps.carrier, all.#elsewhere, role, there.wrapper);
    return all;
  }

  /** Files that the tool removed, and that the agent has open. */
  async removeOpen(names: readonly string[]): Promise<number[]> {
    for (const name of names) {
      writeFileSync(join(this.place.root, name), 'base');
      utimesSync(join(this.place.root, name), 1e9, 1e9);
    }
    await sendOut(this.home.session, this.replica.session);
    const open = names.map((name) => openSync(join(this.place.root, name), 'r+'));
    for (const name of names) rmSync(join(this.there, name));
    await bringHome(this.home.session, this.replica.session);
    return open;
  }

  async late(): Promise<string[]> {
    const { late } = await this.home.session.settle();
    return late.map(
      ({ path, kept }) => `${path.toString()}: ${readFileSync(join(this.place.area, 'kept', kept), 'utf8')}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.home[Symbol.asyncDispose](), this.replica[Symbol.asyncDispose]()]);
    this.#elsewhere[Symbol.dispose]();
    this.disk[Symbol.dispose]();
  }
}

describe.runIf(isRoot)('what is written late while the disk of a home is full', () => {
  test('A-382 P13: is kept and told once there is room, also if its size and mtime are as before', async () => {
    await using all = await SmallHome.start();
    const [file = -1, same = -1] = await all.removeOpen(['file', 'same']);
    all.disk.fill();
    writeSync(file, 'late write', 0);
    writeSync(same, 'LATE', 0);
    futimesSync(same, 1e9, 1e9);
    expect(await all.late()).toEqual([]);
    await sleep(1.1 * minute);
    expect(await all.late()).toEqual([]);
    all.disk.makeRoom(10);
    expect((await all.late()).sort()).toEqual(['file: late write', 'same: LATE']);
    expect(await all.late()).toEqual([]);
    for (const descriptor of [file, same]) closeSync(descriptor);
    expect(readdirSync(join(all.place.area, 'grave'))).toEqual([]);
  });

  test('A-382 P13: is kept in the room that others make which wait beside it, and that an exchange needs', async () => {
    await using all = await SmallHome.start();
    const [file = -1, ...quiet] = await all.removeOpen(['file', 'quiet', 'silent']);
    for (const descriptor of quiet) closeSync(descriptor);
    all.disk.fill();
    // For the folder that is staged in.
    all.disk.makeRoom(1);
    writeSync(file, 'late write', 0);
    closeSync(file);
    writeFileSync(join(all.there, 'new'), 'tool');
    await expect(bringHome(all.home.session, all.replica.session)).rejects.toThrow('workspace-full');
    expect(all.home.session.takeLate()).toMatchObject({ count: 1 });
  });
});
