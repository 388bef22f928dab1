import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bringHome } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';
import { isRoot } from './jailed-place.ts';

/** An ext4 in a file: what is in the file at a moment is what a power cut leaves. */
class Disk implements Disposable {
  readonly #folder = mkdtempSync('/var/tmp/clawrden-power-');
  readonly #mounted: string[] = [];
  readonly #image = join(this.#folder, 'image');

  constructor() {
    writeFileSync(this.#image, '');
    truncateSync(this.#image, 64 * 1024 ** 2);
    execFileSync('mkfs.ext4', ['-q', this.#image]);
  }

  mount(name: string): string {
    const at = join(this.#folder, `at-${name}`);
    mkdirSync(at);
    execFileSync('mount', ['-o', 'loop,commit=1', join(this.#folder, name), at]);
    this.#mounted.push(at);
    return at;
  }

  /** Resolves with the name of what is left. */
  cut(): string {
    copyFileSync(this.#image, join(this.#folder, 'left'));
    return 'left';
  }

  [Symbol.dispose](): void {
    for (const at of this.#mounted) execFileSync('umount', [at]);
    rmSync(this.#folder, { recursive: true });
  }
}

describe.runIf(isRoot).each(buildsOrOnly('static'))('a power cut at home ($name)', (build) => {
  test('A-609: what a tool made is whole, its beginning or not there, as what it makes there itself, and never zeros', async () => {
    using disk = new Disk();
    const names = Array.from({ length: 20 }, (_, n) => `new-${n}`);
    const made = Object.fromEntries(names.map((name, n) => [name, randomBytes(n < 18 ? 5000 : 2_500_000)]));
    const under = disk.mount('image');
    const home = await (async () => {
      await using pair = await Pair.make(build.carrier, under);
      for (const [name, bytes] of Object.entries(made))
        writeFileSync(join(pair.replicaPlace.root, name), bytes);
      await bringHome(pair.home.session, pair.replica.session);
      // The journal has what is in the folder by then, and the writing of the bytes has not begun.
      await sleep(3000);
      disk.cut();
      return pair.homePlace.root.slice(under.length);
    })();
    const left = join(disk.mount('left'), home);
    const found = readdirSync(left).filter((name) => name in made);
    expect(found.length).toBeGreaterThan(0);
    const wrong = found.filter((name) => {
      const bytes = readFileSync(join(left, name));
      return !bytes.equals(made[name]!.subarray(0, bytes.length));
    });
    expect(wrong).toEqual([]);
  });
});
